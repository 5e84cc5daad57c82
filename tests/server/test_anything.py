"""Whatever comes in, the server answers what must be answered, and lives."""

import json
import tempfile
from pathlib import Path
from typing import Any

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.server.conftest import connected

from devloop_tools.protocol.errors import INTERNAL_ERROR
from devloop_tools.protocol.mcp import META_CAPABILITIES, META_VERSION, MODERN, VERSIONS
from devloop_tools.server.era import PROTOCOLS
from devloop_tools.server.greeting import answer
from devloop_tools.server.methods import METHODS, NOTIFICATIONS

_TEXTS = st.sampled_from(
    ["", "甲", "\ud800", "step-001", "todo", "pm", "../x", "x" * 300, "2025-11-25", "debug",
     "timeline_append", "write_todolist", "update_todo_item", "update_runtime_state"]
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_META = st.fixed_dictionaries(
    {},
    optional={
        META_VERSION: st.just(MODERN) | _JSON,
        META_CAPABILITIES: st.just({}) | _JSON,
        "progressToken": _JSON,
        "claudecode/toolUseId": _JSON,
    },
)
_NAMES = ("name", "arguments", "cursor", "uri", "level", "ref", "argument", "input", "ctx", "tools",
          "names", "tool", "after", "agent", "requestId", "id", "protocolVersion", "clientInfo",
          "capabilities", "notifications", "requestState", "inputResponses")  # fmt: skip
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["items", "id", "status", "patch", "event", "data", "topic", "content", "甲"]),
    _JSON,
    max_size=4,
)
_PARAMS = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(_NAMES, _JSON | _ARGUMENTS), "_meta": _META | _JSON}
)
_METHODS = st.sampled_from([*METHODS, *NOTIFICATIONS, "不存在", ""])
_MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": _METHODS},
    optional={"id": _JSON, "params": _PARAMS | _JSON},
)


async def _speak(messages: list[Any], version: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with connected(Path(folder), version=version) as client:
            client.send(*messages)
            # An opening among them may have changed what a ping means, but not that it is answered.
            assert len(await client.reply(client.start("ping", request_id="the end"))) == 3
            replies = [reply for said in client.received for reply in _each(said)]
            codes = {reply["error"]["code"] for reply in replies if "error" in reply}
            assert INTERNAL_ERROR not in codes


def _each(said: Any) -> list[Any]:
    return said if isinstance(said, list) else [said]


@settings(max_examples=20, deadline=None)
@given(st.lists(_MESSAGES | _JSON, max_size=8), st.sampled_from([None, *VERSIONS]))
def test_no_message_ends_the_server(messages: list[Any], version: str | None) -> None:
    anyio.run(_speak, messages, version)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["initialize", "ping", "server/discover", "不存在"]),
    _PARAMS,
    st.sampled_from(PROTOCOLS),
    st.booleans(),
)
def test_a_greeting_is_answered_or_left_whatever_its_params(
    method: str, params: dict[str, Any], offered: str, initialized: bool
) -> None:
    body = answer(method, params, offered, initialized=initialized)
    assert (body is None) == (method == "不存在")
    assert body is None or len(set(body) & {"result", "error"}) == 1
    json.dumps(body)
