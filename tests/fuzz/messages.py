"""Strategies for what a client may send: sound messages of both eras, odd ones, and rubbish."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from devloop_tools.protocol.mcp import (
    META_CAPABILITIES,
    META_CLIENT,
    META_LOG_LEVEL,
    META_VERSION,
    MODERN,
    SUPPORTED,
)
from devloop_tools.server.methods import METHODS, NOTIFICATIONS

Json = dict[str, Any]


def mostly(sound: st.SearchStrategy[Any], *odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Seven times of eight the first, else one of the others."""
    return st.sampled_from([True] * 7 + [False]).flatmap(
        lambda usual: sound if usual else st.one_of(odd)
    )


HALVES = ["\ud800", "\udfff", "半\ud83d"]
"""Texts that no UTF-8 can hold, though JSON's escapes can."""

texts = st.one_of(
    st.text(max_size=12),
    st.sampled_from(HALVES),
    st.sampled_from(["", "名字 name", "\u2028", "\x00", "..", "a/b", "%2F", ".env", "长" * 300]),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)

ids = st.one_of(
    st.integers(-(2**63), 2**64 - 1), st.text(max_size=8), st.sampled_from(["listen:0", "srv-1"])
)
odd_ids = st.one_of(
    st.none(), st.booleans(), st.floats(allow_nan=False), st.just(2**64), st.lists(scalars), values
)

uris = st.one_of(
    st.sampled_from(
        [
            "devloop://timeline", "devloop://todo/pm", "devloop://todo/%2e%2e",
            "devloop://memory/pm/a%2Fb", "devloop://memory/pm/决定", "devloop://{agent}",
        ]
    ),
    texts.map("devloop://memory/pm/{}".format),
    texts,
)  # fmt: skip

_CALLS: dict[str, st.SearchStrategy[Any]] = {
    "timeline_append": st.fixed_dictionaries({"event": st.just("单元.built")}),
    "record_memory": st.fixed_dictionaries({"topic": texts, "content": texts}),
    "update_runtime_state": st.fixed_dictionaries({"patch": st.dictionaries(texts, values)}),
    "update_todo_item": st.fixed_dictionaries({"id": texts, "status": texts}),
    "write_todolist": st.fixed_dictionaries({"items": st.lists(values, max_size=3)}),
    "greet": st.fixed_dictionaries({}, optional={"greeting": texts}),
    "survey": st.just({}),
    "ask_side_by_side": st.just({}),
    "of_the_host": values,
}
_NAMES = st.one_of(st.sampled_from([*_CALLS, "没有", "Bash"]), texts)
_HOST_TOOL = {"name": "of_the_host", "description": "主机的", "input_schema": {"type": "object"}}

_ENVELOPE: Json = {
    META_VERSION: MODERN,
    META_CAPABILITIES: {"elicitation": {}, "sampling": {}, "roots": {}},
}
_tokens = st.one_of(scalars, st.integers(0, 3))
meta = st.one_of(
    st.none(),
    st.fixed_dictionaries({}, optional={"progressToken": _tokens}).map(
        lambda fields: {**_ENVELOPE, **fields}
    ),
    st.fixed_dictionaries(
        {
            META_VERSION: st.sampled_from([*SUPPORTED, "2099-01-01"]),
            META_CAPABILITIES: st.sampled_from([{}, {"elicitation": {"url": {}}}, {"roots": {}}]),
        },
        optional={
            META_CLIENT: values,
            META_LOG_LEVEL: st.sampled_from(["debug", "loud"]),
            "progressToken": _tokens,
        },
    ),
    st.dictionaries(
        st.sampled_from([META_VERSION, META_CAPABILITIES, "progressToken"]), values, max_size=3
    ),
    values,
)
"""What stands in `_meta`: mostly an envelope of the stateless revision, or none."""


_rounds = st.fixed_dictionaries(
    {}, optional={"requestState": st.one_of(texts, values), "inputResponses": values}
)


@st.composite
def calls(draw: st.DrawFn) -> Json:
    """Params of a tools/call, near to sound."""
    name = draw(st.sampled_from(list(_CALLS)))
    extra = draw(mostly(st.dictionaries(texts, values, max_size=1), _rounds))
    return {**extra, "name": name, "arguments": draw(mostly(_CALLS[name], values))}


_PARAMS: dict[str, st.SearchStrategy[Json]] = {
    "initialize": st.fixed_dictionaries(
        {"protocolVersion": st.one_of(st.sampled_from([*SUPPORTED, "1999"]), values)},
        optional={"capabilities": values, "clientInfo": values},
    ),
    "tools/call": calls(),
    "tools.execute": st.fixed_dictionaries(
        {"name": _NAMES, "input": values}, optional={"ctx": values, "progress": st.booleans()}
    ),
    "tools.register": st.just({"tools": [_HOST_TOOL]}),
    "tools.unregister": st.just({"names": ["of_the_host"]}),
    "hooks.pre_execute": st.fixed_dictionaries({"tool": _NAMES}, optional={"input": values}),
    "events.subscribe": st.fixed_dictionaries({}, optional={"after": scalars}),
    "resources/read": st.fixed_dictionaries({"uri": uris}),
    "resources/subscribe": st.fixed_dictionaries({"uri": uris}),
    "resources/unsubscribe": st.fixed_dictionaries({"uri": uris}),
    "subscriptions/listen": st.fixed_dictionaries(
        {
            "notifications": st.fixed_dictionaries(
                {},
                optional={
                    "toolsListChanged": values,
                    "resourceSubscriptions": st.one_of(values, st.lists(uris, max_size=3)),
                },
            )
        }
    ),
    "prompts/get": st.fixed_dictionaries({"name": texts}, optional={"arguments": values}),
    "completion/complete": st.fixed_dictionaries(
        {
            "ref": st.fixed_dictionaries(
                {"type": st.sampled_from(["ref/prompt", "ref/resource"])},
                optional={"name": texts, "uri": uris},
            ),
            "argument": st.fixed_dictionaries({"name": texts, "value": texts}),
        },
        optional={"context": values},
    ),
    "logging/setLevel": st.fixed_dictionaries({"level": st.sampled_from(["info", "大声"])}),
}
_SILENT = list(NOTIFICATIONS)
_OPENING: Json = {
    "jsonrpc": "2.0",
    "id": "the opening",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": _ENVELOPE[META_CAPABILITIES]},
}
_PAGED = st.fixed_dictionaries({}, optional={"cursor": values})


@st.composite
def requests(draw: st.DrawFn, request_id: Any) -> Json:
    """A request that is sound, or nearly."""
    often = ["tools/call"] * 12 + ["resources/read", "subscriptions/listen"] * 3
    method = draw(mostly(st.sampled_from([*often, *METHODS]), st.sampled_from(_SILENT), texts))
    params: Any = dict(draw(_PARAMS.get(method, _PAGED)))
    if (given := draw(meta)) is not None:
        params["_meta"] = given
    params = draw(mostly(st.just(params), values))
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


@st.composite
def conversations(draw: st.DrawFn) -> Sequence[bytes]:
    """Lines of one client, with ids that differ: requests, notifications, answers and rubbish."""
    used = draw(st.lists(ids, max_size=8, unique_by=lambda key: (type(key), key)))
    messages: list[Any] = [draw(requests(request_id)) for request_id in used]
    cancelled = st.sampled_from(used) if used else scalars
    notes = st.one_of(
        cancelled.map(
            lambda key: {"method": "notifications/cancelled", "params": {"requestId": key}}
        ),
        cancelled.map(lambda key: {"method": "$/cancel", "params": {"id": key}}),
        st.just({"method": "notifications/initialized"}),
        st.fixed_dictionaries({"method": texts, "params": values}),
        st.fixed_dictionaries({"id": odd_ids, "method": texts}),
        st.fixed_dictionaries({"id": scalars, "result": values}),
        st.fixed_dictionaries({"id": scalars, "error": values}),
        st.dictionaries(st.sampled_from(["id", "method", "params", "jsonrpc"]), odd_ids),
    )
    messages += [{"jsonrpc": "2.0", **note} for note in draw(st.lists(notes, max_size=4))]
    messages += draw(st.lists(values, max_size=2))
    lines = [line_of(message) for message in draw(st.permutations(list(_differing(messages))))]
    opening = [line_of(_OPENING)] if draw(st.booleans()) else []
    return [*opening, *lines, *draw(st.lists(st.binary(max_size=40), max_size=2))]


def _differing(messages: Sequence[Any]) -> Iterator[Any]:
    """Those whose id, if it is one, no message before has: one that repeats it may be refused."""
    seen: set[tuple[type, Any]] = set()
    for message in messages:
        key = message.get("id") if isinstance(message, dict) else None
        if isinstance(key, int | str):
            if (type(key), key) in seen:
                continue
            seen.add((type(key), key))
        yield message


def line_of(message: Any) -> bytes:
    """One line, ASCII alone, so that half a character passes too."""
    return json.dumps(message).encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A line that was a request before something happened to it."""
    line = bytearray(line_of(draw(requests(draw(ids)))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(line) - 1)) if line else 0
        match draw(st.sampled_from(["flip", "cut", "repeat", "insert"])):
            case "flip" if line:
                line[at] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del line[at : at + draw(st.integers(1, 8))]
            case "repeat":
                line[at:at] = line[at : at + draw(st.integers(1, 30))]
            case _:
                line[at:at] = draw(st.binary(max_size=4))
    return bytes(line).replace(b"\n", b" ")
