"""A call that asks, in the stateless era: what is asked, what comes back, what is not taken."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server import asking_tools
from tests.server.conftest import (
    KEY,
    Client,
    connected,
    connected_to,
    make_application,
    stateless,
    text_of,
)

from devloop_tools.domain.sealed_state import SealedStates
from devloop_tools.protocol.mcp import META_CAPABILITIES, META_SERVER
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.packs import Packs
from devloop_tools.server.era import SERVER_INFO
from devloop_tools.storage.database import Database
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.content import Text
from devloop_tools.toolkit.prompts import PromptMessage, prompt

serving = partial(connected, version=None)

GREET: JsonObject = {"name": "greet", "arguments": {"greeting": "早 morning"}}
ACCEPTED: JsonObject = {"action": "accept", "content": {"name": "小明 Ming"}}


async def asked(
    client: Client, call: JsonObject, capabilities: JsonObject | None = None
) -> JsonObject:
    """The result of the first round, which asks."""
    result: JsonObject = (await client.modern("tools/call", call, capabilities))["result"]
    assert result["resultType"] == "input_required"
    return result


def retry(call: JsonObject, round_one: JsonObject, answers: object) -> JsonObject:
    """The params of the next round."""
    return {**call, "inputResponses": answers, "requestState": round_one["requestState"]}


async def test_a_question_ends_the_call_and_the_answer_finishes_it(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        first = await asked(client, GREET)
        second = (await client.modern("tools/call", retry(GREET, first, {"name": ACCEPTED})))[
            "result"
        ]
    question = {
        "mode": "form", "message": "名字? Your name?", "requestedSchema": asking_tools.NAME
    }  # fmt: skip
    assert first["inputRequests"] == {"name": {"method": "elicitation/create", "params": question}}
    assert first["_meta"] == {META_SERVER: SERVER_INFO}
    assert not {"ttlMs", "content"} & first.keys()
    assert text_of(second) == "早 morning, 小明 Ming"
    assert second["resultType"] == "complete"


async def test_nothing_is_sent_on_its_own_while_a_call_asks(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        await asked(client, GREET)
        await client.settle()
    assert client.notifications == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"action": "decline"}, "decline"),
        ({"action": "cancel", "content": {"name": "无"}}, "cancel"),
        ({"action": "同意"}, "cancel"),
        ({}, "cancel"),
        ({"action": "accept"}, "你好 hello, None"),
    ],
)
async def test_what_a_person_did_reaches_the_tool(
    tmp_path: Path, answer: JsonObject, says: str
) -> None:
    call = {"name": "greet"}
    async with serving(tmp_path, asking_tools.greet) as client:
        first = await asked(client, call)
        result = (await client.modern("tools/call", retry(call, first, {"name": answer})))["result"]
    assert text_of(result) == says


async def test_each_round_keeps_the_answers_of_those_before(tmp_path: Path) -> None:
    call = {"name": "interview"}
    async with serving(tmp_path, asking_tools.interview) as client:
        first = await asked(client, call)
        second = (await client.modern("tools/call", retry(call, first, {"name": ACCEPTED})))[
            "result"
        ]
        color = {"action": "accept", "content": {"name": "蓝 blue"}}
        third = await client.modern("tools/call", retry(call, second, {"color": color}))
    assert list(second["inputRequests"]) == ["color"]
    assert second["inputRequests"]["color"]["params"]["message"] == "小明 Ming: 颜色? Color?"
    assert second["requestState"] != first["requestState"]
    assert text_of(third["result"]) == "小明 Ming, 蓝 blue"


async def test_several_things_are_asked_at_once_and_what_is_missing_again(tmp_path: Path) -> None:
    call = {"name": "survey"}
    answers = {"person": ACCEPTED, "model": {"content": {"text": "好"}}, "folders": {"roots": []}}
    async with serving(tmp_path, asking_tools.survey) as client:
        first = await asked(client, call)
        some = {key: answers[key] for key in ("person", "model")}
        second = (await client.modern("tools/call", retry(call, first, some)))["result"]
        rest = {"folders": answers["folders"]}
        third = await client.modern("tools/call", retry(call, second, rest))
    methods = {key: asked["method"] for key, asked in first["inputRequests"].items()}
    assert methods == {
        "person": "elicitation/create", "model": "sampling/createMessage", "folders": "roots/list"
    }  # fmt: skip
    assert second["inputRequests"] == {"folders": {"method": "roots/list", "params": {}}}
    assert json.loads(text_of(third["result"])) == answers


async def test_tasks_of_one_tool_may_ask_side_by_side(tmp_path: Path) -> None:
    call = {"name": "ask_side_by_side"}
    async with serving(tmp_path, asking_tools.ask_side_by_side) as client:
        first = await asked(client, call)
        answers = dict.fromkeys(("左", "right"), ACCEPTED)
        result = (await client.modern("tools/call", retry(call, first, answers)))["result"]
    assert first["inputRequests"].keys() <= answers.keys()
    assert text_of(result) == "小明 Ming, 小明 Ming"


async def test_tasks_that_ask_what_the_client_lacks_name_all_of_it(tmp_path: Path) -> None:
    call = {"name": "ask_side_by_side"}
    async with serving(tmp_path, asking_tools.ask_side_by_side) as client:
        error = (await client.modern("tools/call", call, {}))["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_task_that_fails_beside_one_that_asks_is_a_crash(tmp_path: Path) -> None:
    call = {"name": "ask_and_fail", "arguments": {"greeting": "ValueError"}}
    async with serving(tmp_path, asking_tools.ask_and_fail) as client:
        result = (await client.modern("tools/call", call))["result"]
        assert "result" in await client.modern("tools/list")
    assert result["isError"]
    assert "ask_and_fail failed" in text_of(result)


@pytest.mark.parametrize(
    "answers", [None, [], "是", 1, {}, {"name": 12345}, {"name": None}, {"name": ["小明"]}]
)
async def test_what_is_no_answer_is_asked_for_again(tmp_path: Path, answers: Any) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        first = await asked(client, GREET)
        again = (await client.modern("tools/call", retry(GREET, first, answers)))["result"]
        result = (await client.modern("tools/call", retry(GREET, again, {"name": ACCEPTED})))[
            "result"
        ]
    assert again["inputRequests"] == first["inputRequests"]
    assert text_of(result) == "早 morning, 小明 Ming"


async def test_answers_may_come_before_they_are_asked_for(tmp_path: Path) -> None:
    extra = {"陌生": ACCEPTED, "unexpected": 1}
    call = {**GREET, "inputResponses": {"name": ACCEPTED, **extra}}
    async with serving(tmp_path, asking_tools.greet) as client:
        result = (await client.modern("tools/call", call))["result"]
    assert text_of(result) == "早 morning, 小明 Ming"


async def test_an_answer_that_was_given_is_not_replaced_later(tmp_path: Path) -> None:
    call = {"name": "interview"}
    other = {"action": "accept", "content": {"name": "别人 else"}}
    async with serving(tmp_path, asking_tools.interview) as client:
        first = await asked(client, call)
        second = (await client.modern("tools/call", retry(call, first, {"name": ACCEPTED})))[
            "result"
        ]
        answers = {"name": other, "color": other}
        third = await client.modern("tools/call", retry(call, second, answers))
    assert text_of(third["result"]) == "小明 Ming, 别人 else"


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
        connected_to(replace(application, states=states)) as other,
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


@pytest.mark.parametrize(
    ("tool", "capabilities", "missing"),
    [
        ("greet", {}, {"elicitation": {}}),
        ("greet", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("dictate", {"elicitation": {}}, {"sampling": {}}),
        ("folders", {"sampling": {}}, {"roots": {}}),
        ("survey", {"sampling": {}}, {"elicitation": {}, "roots": {}}),
    ],
)
async def test_a_capability_that_a_call_needs_is_named(
    tmp_path: Path, tool: str, capabilities: JsonObject, missing: JsonObject
) -> None:
    async with serving(tmp_path, getattr(asking_tools, tool)) as client:
        error = (await client.modern("tools/call", {"name": tool}, capabilities))["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": missing}
    assert all(name in error["message"] for name in missing)


@pytest.mark.parametrize("elicitation", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_a_client_that_shows_forms_is_asked(tmp_path: Path, elicitation: JsonObject) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        await asked(client, GREET, {"elicitation": elicitation})


async def test_a_tool_may_do_without_the_client(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.do_without) as client:
        call = {"name": "do_without"}
        result = (await client.modern("tools/call", call, {"roots": {}}))["result"]
    assert text_of(result) == "without: the client has not declared elicitation"


async def test_roots_and_samples_come_back(tmp_path: Path) -> None:
    async with connected(
        tmp_path, asking_tools.folders, asking_tools.dictate, version=None
    ) as client:
        first = await asked(client, {"name": "folders"})
        given = {"folders": {"roots": [{"uri": "file:///项目"}]}}
        found = await client.modern("tools/call", retry({"name": "folders"}, first, given))
        first = await asked(client, {"name": "dictate"})
        said = await client.modern(
            "tools/call",
            retry({"name": "dictate"}, first, {"text": {"content": "写好了 written"}}),
        )
    assert json.loads(text_of(found["result"])) == ["file:///项目"]
    assert text_of(said["result"]) == "写好了 written"


@prompt()
async def about(args: dict[str, str], ctx: ToolContext) -> list[PromptMessage]:
    """A prompt about something that is asked first."""
    answer = await ctx.client.elicit("topic", "关于? About what?", asking_tools.NAME)
    return [PromptMessage("user", Text(f"关于 {answer.content['name']}"))]


async def test_a_prompt_may_ask_too(tmp_path: Path) -> None:
    call = {"name": "about"}
    async with serving(tmp_path, packs=Packs(prompts=[about])) as client:
        first = (await client.modern("prompts/get", call))["result"]
        second = await client.modern("prompts/get", retry(call, first, {"topic": ACCEPTED}))
        refused = (await client.modern("prompts/get", call, {}))["error"]
        elsewhere = retry(call, first, {"topic": ACCEPTED})
        error = (await client.modern("tools/call", elsewhere))["error"]
    assert list(first["inputRequests"]) == ["topic"]
    [message] = second["result"]["messages"]
    assert message["content"]["text"] == "关于 小明 Ming"
    assert refused["code"] == -32021
    assert (error["code"], "Unknown tool" in error["message"]) == (-32602, True)


async def test_a_cancelled_round_is_not_answered(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id = client.start_modern("tools/call", GREET)
        client.notify("notifications/cancelled", {"requestId": request_id})
        await client.settle()
    assert client.notifications == []


async def test_two_calls_that_ask_at_once_have_two_states(tmp_path: Path) -> None:
    results: list[str] = []
    async with serving(tmp_path, asking_tools.greet) as client:
        ids = [client.start("tools/call", stateless(GREET)) for _ in range(2)]
        rounds = [(await client.reply(request_id))["result"] for request_id in ids]
        for number, first in enumerate(rounds):
            answer = {"action": "accept", "content": {"name": f"{number} 号"}}
            reply = await client.modern("tools/call", retry(GREET, first, {"name": answer}))
            results.append(text_of(reply["result"]))
    assert results == ["早 morning, 0 号", "早 morning, 1 号"]


async def test_capabilities_may_change_between_rounds(tmp_path: Path) -> None:
    call = {"name": "interview"}
    async with serving(tmp_path, asking_tools.interview) as client:
        first = await asked(client, call)
        params = {**retry(call, first, {"name": ACCEPTED}), "_meta": {META_CAPABILITIES: {}}}
        with anyio.fail_after(5):
            error = (await client.modern("tools/call", params))["error"]
    assert error["code"] == -32021
