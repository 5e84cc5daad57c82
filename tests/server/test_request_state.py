"""The state that a client carries between two rounds: whose it is, how long, and how often."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.server import asking_tools
from tests.server.asking import ACCEPTED, GREET, asked, retry, serving
from tests.server.conftest import (
    KEY,
    connected,
    connected_to,
    make_application,
    stateless,
    text_of,
)

from devloop_tools.domain.sealed_state import SealedStates
from devloop_tools.frozen import changed
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.storage.database import Database


def tampered(state: str) -> str:
    """The same content under the same signature, with one field changed."""
    payload, _, signature = state.partition(".")
    fields = json.loads(base64.urlsafe_b64decode(payload))
    fields["expires"] += 1
    text = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()
    return f"{text}.{signature}"


BAD_STATES: Mapping[str, Any] = {
    "tampered": tampered,
    "longer": lambda state: state + "-TAMPERED",
    "cut": lambda state: state[:-5],
    "empty": lambda _: "",
    "no signature": lambda state: state.partition(".")[0],
    "other text": lambda _: "状态.签名",
    "surrogate": lambda _: "\ud800.x",
}


@pytest.mark.parametrize("change", BAD_STATES.values(), ids=BAD_STATES.keys())
async def test_a_state_that_is_not_ours_is_refused(tmp_path: Path, change: Any) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        first = await asked(client, GREET)
        call = retry(GREET, first, {"name": ACCEPTED})
        bad = {**call, "requestState": change(call["requestState"])}
        error = (await client.modern("tools/call", bad))["error"]
        good = await client.modern("tools/call", call)
    assert error == {"code": -32602, "message": "requestState is not one of this server's"}
    assert text_of(good["result"]) == "早 morning, 小明 Ming"


@pytest.mark.parametrize("state", [1, True, [], {}])
async def test_a_state_that_is_no_text_is_refused(tmp_path: Path, state: Any) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        error = (await client.modern("tools/call", {**GREET, "requestState": state}))["error"]
    assert (error["code"], "must be the text" in error["message"]) == (-32602, True)


@pytest.mark.parametrize(
    "other",
    [
        {"name": "greet", "arguments": {"greeting": "晚 evening"}},
        {"name": "greet"},
        {"name": "interview", "arguments": GREET["arguments"]},
        {**GREET, "more": "多"},
    ],
)
async def test_a_state_belongs_to_the_call_that_got_it(tmp_path: Path, other: JsonObject) -> None:
    async with connected(
        tmp_path, asking_tools.greet, asking_tools.interview, version=None
    ) as client:
        first = await asked(client, GREET)
        call = retry(other, first, {"name": ACCEPTED})
        error = (await client.modern("tools/call", call))["error"]
    assert error == {"code": -32602, "message": "requestState belongs to another request"}


async def test_a_state_belongs_to_the_agent_that_got_it(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, asking_tools.greet) as pm,
        serving(tmp_path, asking_tools.greet, version=None, agents=["architect"]) as architect,
    ):
        call = retry(GREET, await asked(pm, GREET), {"name": ACCEPTED})
        error = (await architect.modern("tools/call", call))["error"]
    assert (error["code"], "another request" in error["message"]) == (-32602, True)


async def test_a_state_is_taken_once_by_all_servers_of_the_project(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, asking_tools.greet) as one,
        serving(tmp_path, asking_tools.greet) as other,
    ):
        call = retry(GREET, await asked(one, GREET), {"name": ACCEPTED})
        taken = await other.modern("tools/call", call)
        errors = [(await client.modern("tools/call", call))["error"] for client in (one, other)]
    assert text_of(taken["result"]) == "早 morning, 小明 Ming"
    message = "requestState was used before; call again without it"
    assert errors == [{"code": -32602, "message": message}] * 2


async def test_a_server_with_another_key_takes_no_state(tmp_path: Path) -> None:
    application = make_application(tmp_path, asking_tools.greet)
    states = SealedStates(lambda: KEY[::-1], Database(tmp_path))
    async with (
        connected_to(application) as one,
        connected_to(changed(application, states=states)) as other,
    ):
        call = retry(GREET, await asked(one, GREET), {"name": ACCEPTED})
        error = (await other.modern("tools/call", call))["error"]
    assert error["message"] == "requestState is not one of this server's"


async def test_params_of_every_kind_can_be_bound(tmp_path: Path) -> None:
    call = {**GREET, "陌生 unknown": ["\ud83d 半个 half", 2**70, 1e308]}
    async with serving(tmp_path, asking_tools.greet) as client:
        first = await asked(client, call)
        result = (await client.modern("tools/call", retry(call, first, {"name": ACCEPTED})))[
            "result"
        ]
    assert text_of(result) == "早 morning, 小明 Ming"


async def test_params_that_are_nested_deeply_are_answered_all_the_same(tmp_path: Path) -> None:
    params = json.dumps(stateless({**GREET, "deep": "here"}))
    deep = params.replace('"here"', "[" * 1000 + "]" * 1000)
    line = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {deep}}}'
    async with serving(tmp_path, asking_tools.greet) as client:
        client.send_line(line.encode())
        reply = await client.reply(1)
    # How deep json goes depends on the version of Python.
    message = "the request is nested too deeply to be made in rounds"
    refused = {"code": -32602, "message": message}
    assert reply.get("error") == refused or reply["result"]["resultType"] == "input_required"


async def test_answers_of_every_kind_travel_in_the_state(tmp_path: Path) -> None:
    call = {"name": "interview"}
    answer = {"action": "accept", "content": {"name": "\udc00 小明", "n": 2**70, "x": 1e308}}
    async with serving(tmp_path, asking_tools.interview) as client:
        first = await asked(client, call)
        second = (await client.modern("tools/call", retry(call, first, {"name": answer})))["result"]
        third = await client.modern("tools/call", retry(call, second, {"color": ACCEPTED}))
    assert text_of(third["result"]).endswith("小明, 小明 Ming")
