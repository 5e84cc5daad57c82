"""A call that asks, in the stateless era: what is asked, what comes back, what is not taken."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server import asking_tools
from tests.server.asking import ACCEPTED, GREET, asked, retry, serving
from tests.server.conftest import (
    connected,
    stateless,
    text_of,
)

from devloop_tools.protocol.mcp import META_CAPABILITIES, META_SERVER
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.packs import Packs
from devloop_tools.server.era import SERVER_INFO
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.content import Text
from devloop_tools.toolkit.prompts import PromptMessage, prompt


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
