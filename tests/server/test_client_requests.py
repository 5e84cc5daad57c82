"""What tools ask of a client of the older era: as requests of ours, with ids of their own."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server import asking_tools
from tests.server.conftest import Client, connected, text_of

from devloop_tools.protocol.messages import JsonObject

serving = partial(connected, version=None)

GREET: JsonObject = {"name": "greet", "arguments": {"greeting": "早 morning"}}
ACCEPTED: JsonObject = {"action": "accept", "content": {"name": "小明 Ming"}}


def refuse(client: Client, request: JsonObject, error: object) -> None:
    """Answer a request of the server with an error."""
    client.send({"jsonrpc": "2.0", "id": request["id"], "error": error})


async def asked(client: Client, call: JsonObject) -> tuple[Any, JsonObject]:
    """The id of a call that asks, and what it asks."""
    await client.shake_hands()
    request_id = client.start("tools/call", call)
    return request_id, await client.incoming("elicitation/create")


async def test_a_person_is_asked_while_the_call_waits(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        client.answer(question, ACCEPTED)
        result = (await client.reply(request_id))["result"]
    assert question["params"] == {
        "mode": "form", "message": "名字? Your name?", "requestedSchema": asking_tools.NAME
    }  # fmt: skip
    assert isinstance(question["id"], str)
    assert text_of(result) == "早 morning, 小明 Ming"


async def test_our_ids_and_the_clients_do_not_meet(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        await client.shake_hands()
        client.start("tools/call", GREET, request_id="srv-1")
        question = await client.incoming("elicitation/create")
        # The same text names a call of theirs and a question of ours.
        assert question["id"] == "srv-1"
        client.answer(question, ACCEPTED)
        assert text_of((await client.reply("srv-1"))["result"]) == "早 morning, 小明 Ming"


async def test_calls_that_ask_at_once_get_their_own_answers(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        await client.shake_hands()
        ids = [client.start("tools/call", GREET) for _ in range(5)]
        questions = [await client.incoming("elicitation/create") for _ in ids]
        for number, question in reversed(list(enumerate(questions))):
            client.answer(question, {"action": "accept", "content": {"name": f"{number} 号"}})
        texts = [text_of((await client.reply(request_id))["result"]) for request_id in ids]
    assert len({question["id"] for question in questions}) == 5
    assert texts == [f"早 morning, {number} 号" for number in range(5)]


async def test_several_things_are_asked_at_once(tmp_path: Path) -> None:
    answers = {"elicitation/create": ACCEPTED, "sampling/createMessage": {"content": "好"}}
    async with serving(tmp_path, asking_tools.survey) as client:
        await client.shake_hands()
        request_id = client.start("tools/call", {"name": "survey"})
        for method, answer in {**answers, "roots/list": {"roots": []}}.items():
            client.answer(await client.incoming(method), answer)
        result = json.loads(text_of((await client.reply(request_id))["result"]))
    assert result == {"person": ACCEPTED, "model": {"content": "好"}, "folders": {"roots": []}}


async def test_roots_and_samples_come_back(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.folders, asking_tools.dictate) as client:
        await client.shake_hands()
        listing = client.start("tools/call", {"name": "folders"})
        roots = [{"uri": "file:///项目"}, {"uri": "file:///b"}]
        client.answer(await client.incoming("roots/list"), {"roots": roots})
        assert json.loads(text_of((await client.reply(listing))["result"])) == [
            "file:///项目",
            "file:///b",
        ]
        saying = client.start("tools/call", {"name": "dictate"})
        question = await client.incoming("sampling/createMessage")
        client.answer(question, {"content": "写好了 written"})
        assert text_of((await client.reply(saying))["result"]) == "写好了 written"
    assert question["params"] == asking_tools.SAY


@pytest.mark.parametrize("answer", [None, [], "好", 1, {}, {"action": "随便 whatever"}])
async def test_an_answer_that_makes_no_sense_counts_as_nobody(tmp_path: Path, answer: Any) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        client.answer(question, answer)
        assert text_of((await client.reply(request_id))["result"]) == "cancel"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ({"code": -32601, "message": "不会 I can't"}, "不会 I can't"),
        ({"code": -1, "message": "User rejected"}, "User rejected"),
        ({}, "{}"),
        ("坏了", "坏了"),
        (None, "None"),
    ],
)
async def test_a_client_that_refuses_is_told_to_the_model(
    tmp_path: Path, error: object, says: str
) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        refuse(client, question, error)
        result = (await client.reply(request_id))["result"]
    refused = result["structuredContent"]
    assert (refused["ok"], says in refused["reason"]) == (False, True)
    assert refused["reason"].startswith("elicitation/create: ")
    assert refused["hint"]
    assert json.loads(text_of(result)) == refused


@pytest.mark.parametrize(
    ("tool", "capabilities", "missing"),
    [
        ("greet", {}, "elicitation"),
        ("greet", {"elicitation": {"url": {}}}, "elicitation"),
        ("greet", {"elicitation": None}, "elicitation"),
        ("dictate", {"elicitation": {}}, "sampling"),
        ("folders", {"sampling": {}}, "roots"),
        ("survey", {}, "elicitation, roots, sampling"),
    ],
)
async def test_what_the_client_has_not_declared_is_not_asked(
    tmp_path: Path, tool: str, capabilities: JsonObject, missing: str
) -> None:
    async with serving(tmp_path, getattr(asking_tools, tool)) as client:
        await client.shake_hands(capabilities=capabilities)
        result = await client.call(tool)
        await client.settle()
        events = [event.type for event in client.events()]
    assert result["structuredContent"]["reason"] == f"the client has not declared {missing}"
    assert client.notifications == []
    # An expected failure: no crash, nothing that calls for a person.
    assert events == ["timeline.appended", "tool.failed"]


@pytest.mark.parametrize("capabilities", [None, [], "全部 all", 1])
async def test_capabilities_that_are_no_object_are_none(tmp_path: Path, capabilities: Any) -> None:
    async with serving(tmp_path, asking_tools.do_without) as client:
        await client.shake_hands(capabilities=capabilities)
        result = await client.call("do_without")
    assert text_of(result) == "without: the client has not declared elicitation"


async def test_a_cancelled_call_takes_its_question_back(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        client.notify("notifications/cancelled", {"requestId": request_id})
        taken_back = await client.incoming("notifications/cancelled")
        client.answer(question, ACCEPTED)
        await client.settle()
        assert client.replies(request_id) == []
    assert taken_back["params"] == {"requestId": question["id"]}


async def test_an_answered_question_is_not_taken_back(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        for _ in range(3):
            client.answer(question, ACCEPTED)
        await client.reply(request_id)
        await client.settle()
    assert [note["method"] for note in client.notifications] == ["elicitation/create"]


async def test_an_answer_to_nothing_is_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await client.shake_hands()
        for request_id in ("srv-1", 1, "陌生", None):
            client.send({"jsonrpc": "2.0", "id": request_id, "result": ACCEPTED})
        await client.settle()
        assert len(client.received) == 2


async def test_other_calls_go_on_while_one_asks(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        request_id, question = await asked(client, GREET)
        assert "result" in await client.request("tools/list")
        assert "result" in await client.modern("tools/list")
        client.answer(question, ACCEPTED)
        assert text_of((await client.reply(request_id))["result"]) == "早 morning, 小明 Ming"


async def test_the_end_of_the_input_ends_the_question(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with serving(tmp_path, asking_tools.do_without) as client:
            request_id, _ = await asked(client, {"name": "do_without"})
            client.close()
            result = (await client.reply(request_id))["result"]
    assert "the peer has closed the connection" in text_of(result)


async def test_plain_json_rpc_has_nobody_to_ask(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.greet) as client:
        await client.shake_hands()
        result = await client.result("tools.execute", {"name": "greet"})
    assert (result["ok"], "no client to ask" in result["reason"]) == (False, True)


async def test_a_task_group_of_a_tool_asks_side_by_side(tmp_path: Path) -> None:
    async with serving(tmp_path, asking_tools.ask_side_by_side) as client:
        await client.shake_hands()
        request_id = client.start("tools/call", {"name": "ask_side_by_side"})
        for _ in range(2):
            client.answer(await client.incoming("elicitation/create"), ACCEPTED)
        result = (await client.reply(request_id))["result"]
    assert text_of(result) == "小明 Ming, 小明 Ming"
