"""tools.register, tools.unregister and host.execute: a host's own tools."""

import threading
from typing import Any

import anyio
import pytest
from tests.server.plain.conftest import Connect, Host

from devloop_tools.server.plain.host_tools import MAX_TOOLS
from devloop_tools.toolkit.json_schema import SchemaArguments

LOOKUP = {
    "name": "lookup",
    "description": "查 a ticket",
    "input_schema": {
        "type": "object",
        "properties": {"ticket": {"type": "string", "pattern": "^[A-Z]+-[0-9]+$"}},
        "required": ["ticket"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


async def register(host: Host, *tools: dict[str, Any]) -> Any:
    return await host.result("tools.register", {"tools": list(tools)})


async def test_a_registered_tool_is_run_by_the_host(connect: Connect) -> None:
    ctx = {"agent": "coder", "unit_id": "a", "call_id": "toolu_1", "session_id": "s"}
    async with connect(agent=None, host=True) as host:
        assert await register(host, LOOKUP) == {"ok": True, "tools": ["lookup"]}
        await host.failed("lookup", {"ticket": "AB-1"}, ctx=ctx)
        call = host.start_tool("lookup", {"ticket": "AB-1"}, ctx={**ctx, "agent": "pm"})
        asked = await host.asked()
        host.answer(asked, result={"ok": True, "title": "登录"})
        assert (await host.reply(call))["result"] == {"ok": True, "title": "登录"}
    assert asked["method"] == "host.execute"
    assert asked["params"] == {
        "name": "lookup", "input": {"ticket": "AB-1"}, "ctx": {**ctx, "agent": "pm"}
    }  # fmt: skip


async def test_both_doors_see_it_and_run_it(connect: Connect) -> None:
    async with connect() as host:
        await register(host, LOOKUP)
        await host.initialize()
        plain = (await host.result("tools.list"))["tools"]
        listed = (await host.result("tools/list"))["tools"]
        call = host.start("tools/call", {"name": "lookup", "arguments": {"ticket": "AB-2"}})
        host.answer(await host.asked(), result="两张 tickets")
        result = (await host.reply(call))["result"]
    assert [tool["input_schema"] for tool in plain if tool["name"] == "lookup"] == [
        LOOKUP["input_schema"]
    ]
    assert [tool["annotations"] for tool in listed if tool["name"] == "lookup"] == [
        {
            "readOnlyHint": True,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": False,
        }
    ]
    assert (result["isError"], result["content"][0]["text"]) == (False, "两张 tickets")


async def test_it_exists_on_its_own_connection_alone(connect: Connect) -> None:
    async with connect() as host, connect() as other:
        await register(host, LOOKUP)
        assert (await other.failed("lookup"))["message"] == "Unknown tool: lookup"
        names = [tool["name"] for tool in (await other.result("tools.list"))["tools"]]
    assert "lookup" not in names


async def test_policy_holds_for_it_as_for_any_tool(connect: Connect) -> None:
    async with connect(agent="bug-triager") as host:
        await register(host, LOOKUP)
        names = [tool["name"] for tool in (await host.result("tools.list"))["tools"]]
        error = await host.failed("lookup", {"ticket": "AB-1"})
        refused = [event.data for event in host.events() if event.type == "policy.refused"]
    assert names == ["plain_echo"]
    assert error == {"code": -32602, "message": "Unknown tool: lookup"}
    assert [(fact["tool"], fact["rule"]) for fact in refused] == [("lookup", "nothing matched")]


@pytest.mark.parametrize(
    ("given", "field"),
    [({}, "arguments"), ({"ticket": "小写"}, "ticket"), ({"ticket": "A-1", "x": 1}, "arguments")],
)
async def test_arguments_are_checked_before_the_host_hears_of_the_call(
    connect: Connect, given: dict[str, Any], field: str
) -> None:
    async with connect() as host:
        await register(host, LOOKUP)
        error = await host.failed("lookup", given)
        assert (error["code"], error["data"]["field"]) == (4001, field)
        assert all(message.get("method") != "host.execute" for message in host.heard)


async def test_arguments_that_take_long_to_check_hold_nobody_up(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    others_were_answered, check = threading.Event(), SchemaArguments.parse

    def check_later(self: SchemaArguments, tool: str, arguments: dict[str, Any]) -> Any:
        assert others_were_answered.wait(5)
        return check(self, tool, arguments)

    async with connect() as host:
        await register(host, LOOKUP)
        monkeypatch.setattr(SchemaArguments, "parse", check_later)
        call = host.start_tool("lookup", {"ticket": "小写"})
        for _ in range(3):
            await host.result("ping")
        others_were_answered.set()
        assert (await host.reply(call))["error"]["data"]["field"] == "ticket"


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"result": {"rows": 2}}, {"rows": 2}),
        ({"result": "一行 text"}, {"ok": True, "text": "一行 text"}),
        ({"result": [1, 2]}, {"ok": True, "value": [1, 2]}),
        ({"result": None}, {"ok": True, "value": None}),
        ({"result": {"ok": False, "reason": "关门", "hint": "later"}},
         {"ok": False, "reason": "关门", "hint": "later"}),
    ],
)  # fmt: skip
async def test_whatever_the_host_answers_is_the_result(
    connect: Connect, answer: dict[str, Any], result: Any
) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        host.answer(await host.asked(), **answer)
        assert (await host.reply(call))["result"] == result


async def test_an_expected_failure_of_the_host_s_is_one_in_timeline_and_events(
    connect: Connect,
) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        host.answer(await host.asked(), result={"ok": False, "reason": "关门", "hint": "later"})
        await host.reply(call)
        assert host.timeline()[0]["summary"] == "ask: 关门"
        assert [event.type for event in host.events()][-1] == "tool.failed"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"code": 1, "message": "没有权限 for it"}, "没有权限 for it"),
        ({"code": 1, "message": "no /srv/host/secret/db.json"}, "no …/db.json"),
        ({"code": 7}, "7"),
        ("broken", "broken"),
        (None, "None"),
    ],
)
async def test_an_error_of_the_host_s_ends_the_call_with_its_words(
    connect: Connect, error: Any, words: str
) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        host.answer(await host.asked(), error=error)
        failed = (await host.reply(call))["error"]
    assert (failed["code"], failed["data"]["kind"]) == (5000, "crash")
    assert failed["message"].startswith("ask failed: ")
    assert words in failed["message"]


async def test_a_host_that_does_not_answer_in_time_ends_the_call_and_is_told(
    connect: Connect,
) -> None:
    async with connect() as host:
        await host.register("ask", timeout_s=0.05)
        call = host.start_tool("ask")
        asked = await host.asked()
        failed = (await host.reply(call))["error"]
        assert failed["message"] == "ask failed: PeerError: host.execute: no answer within 0.05 s"
        assert host.told("$/cancel") == [{"id": asked["id"]}]
        host.answer(asked, result="too late 迟了")
        await host.settle()
        assert len([m for m in host.heard if m.get("id") == call]) == 1


async def test_cancelling_the_call_cancels_it_at_the_host(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        asked = await host.asked()
        host.cancel(call)
        assert await host.told_times("$/cancel", 1) == [{"id": asked["id"]}]
        host.answer(asked, result="too late")
        await host.settle()
        assert all(m.get("id") != call for m in host.heard)


async def test_calls_run_at_once_and_answers_find_theirs_in_any_order(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        calls = [host.start_tool("ask", {"number": number}) for number in range(20)]
        asked = [await host.asked() for _ in calls]
        for request in reversed(asked):
            host.answer(request, result={"number": request["params"]["input"]["number"]})
        for number, call in enumerate(calls):
            assert (await host.reply(call))["result"] == {"number": number}
    assert len({request["id"] for request in asked}) == 20


async def test_the_first_answer_counts_and_one_to_nothing_is_ignored(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        asked = await host.asked()
        host.send({"id": "srv-99", "result": "nobody asked"})
        host.send({"id": None, "error": {"code": 1, "message": "nobody"}})
        host.answer(asked, result="first")
        host.answer(asked, result="second")
        assert (await host.reply(call))["result"] == {"ok": True, "text": "first"}
        await host.settle()
        assert len([m for m in host.heard if m.get("id") == call]) == 1


async def test_a_host_that_leaves_in_mid_call_ends_it_with_a_clear_error(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        await host.asked()
        host.leave()
        failed = (await host.reply(call))["error"]
    text = "ask failed: PeerError: host.execute: the peer has closed the connection"
    assert (failed["code"], failed["message"]) == (5000, text)


async def test_a_call_that_comes_with_the_end_of_the_connection_ends_too(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        host.leave()
        failed = (await host.reply(call))["error"]
    assert failed["message"].endswith("the peer has closed the connection")


async def test_the_client_is_told_that_the_list_has_changed(connect: Connect) -> None:
    method = "notifications/tools/list_changed"
    async with connect() as host:
        await host.register("one")
        await host.settle()
        assert all(message.get("method") != method for message in host.heard)
        await host.initialize()
        await host.register("two")
        await host.result("tools.unregister", {"names": ["one", "two"]})
        await host.settle()
        assert [message["method"] for message in host.heard if "method" in message] == [method] * 2


async def test_an_unregistered_tool_is_unknown_and_its_name_free(connect: Connect) -> None:
    async with connect() as host:
        await host.register("one", "two")
        left = await host.result("tools.unregister", {"names": ["one", "one"]})
        assert left == {"ok": True, "tools": ["two"]}
        assert (await host.failed("one"))["message"] == "Unknown tool: one"
        await host.register("one")


async def test_unregistering_is_all_or_none(connect: Connect) -> None:
    async with connect() as host:
        await host.register("one")
        error = await host.error("tools.unregister", {"names": ["one", "没有"]})
        assert error["code"] == -32602
        assert "没有" in error["message"]
        call = host.start_tool("one")
        host.answer(await host.asked(), result="still there")
        assert (await host.reply(call))["result"]["text"] == "still there"


async def test_a_call_in_flight_outlives_its_tool(connect: Connect) -> None:
    async with connect() as host:
        await host.register("ask")
        call = host.start_tool("ask")
        asked = await host.asked()
        await host.result("tools.unregister", {"names": ["ask"]})
        host.answer(asked, result="好")
        assert (await host.reply(call))["result"]["text"] == "好"


def tool(name: str, schema: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "d", "input_schema": schema or {"type": "object"}, **more}


DEEP: dict[str, Any] = {"type": "object"}
for _ in range(100):
    DEEP = {"type": "object", "properties": {"层": DEEP}}

REMOTE = "http://127.0.0.1:9/schema.json"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (tool("plain_echo"), "plain_echo is defined in plain.py and again by the host"),
        (tool("write_todolist"), "devloop_tools.tools.persistence.write_todolist and again by"),
        (tool("mine"), "mine is defined in the host and again by the host"),
        (tool("good"), "good is defined in the host and again by the host"),
        (tool("Bash"), "the name Bash belongs to a tool of the Claude CLI"),
        (tool("名字"), "the name '名字' must be 1 to 50 of"),
        (tool("a" * 51), "must be 1 to 50 of"),
        (tool(""), "must be 1 to 50 of"),
        (tool("x", {"type": "string"}), 'x: the schema\'s root must have type "object"'),
        (tool("x", {"properties": {}}), 'x: the schema\'s root must have type "object"'),
        (tool("x", {"type": "object", "not": {}}), "x: the schema's root must be a plain"),
        (tool("x", {"type": "object", "properties": {"a": {"type": "strin"}}}), "x: the schema is"),
        (tool("x", {"type": "object", "required": "a"}), "x: the schema is invalid at"),
        (tool("x", {"type": "object", "properties": {"a": {"$ref": REMOTE}}}), REMOTE),
        (tool("x", {"type": "object", "properties": {"a": {"$ref": "#/no"}}}), "#/no"),
        (tool("x", DEEP), "x: the schema is invalid at arguments: it is nested too deeply"),
        (tool("x", description=""), "tools.1.description: "),
        (tool("x", description="长" * 5000), "tools.1.description: "),
        (tool("x", timeout_s=0), "tools.1.timeout_s: "),
        (tool("x", timeout_s="soon"), "tools.1.timeout_s: "),
        (tool("x", handler="h"), "tools.1.handler: "),
        ({"name": "x", "description": "d"}, "tools.1.input_schema: "),
        ("x", "tools.1: "),
    ],
)  # fmt: skip
async def test_tools_are_registered_all_or_none_and_the_fault_is_named(
    connect: Connect, bad: Any, words: str
) -> None:
    async with connect() as host:
        await host.register("mine")
        error = await host.error("tools.register", {"tools": [tool("good"), bad]})
        names = [listed["name"] for listed in (await host.result("tools.list"))["tools"]]
    assert error["code"] == -32602
    assert words in error["message"]
    assert "mine" in names
    assert "good" not in names
    assert str(host.root.parent.parent) not in error["message"]


async def test_a_remote_reference_is_never_fetched(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("socket.socket.connect", lambda *where: fetched.append(where))
    schema = {"type": "object", "properties": {"a": {"$ref": REMOTE}}}
    async with connect() as host:
        await host.error("tools.register", {"tools": [tool("x", schema)]})
    assert fetched == []


async def test_references_inside_the_schema_are_followed(connect: Connect) -> None:
    kids = {"kids": {"type": "array", "items": {"$ref": "#"}}}
    tree = {"type": "object", "properties": kids, "additionalProperties": False}
    async with connect() as host:
        await register(host, tool("grow", tree))
        assert (await host.failed("grow", {"kids": [{"kids": [{"叶": 1}]}]}))["code"] == 4001
        call = host.start_tool("grow", {"kids": [{"kids": []}]})
        host.answer(await host.asked(), result="好")
        assert (await host.reply(call))["result"]["text"] == "好"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools.register", {}),
        ("tools.register", {"tools": []}),
        ("tools.register", {"tools": {}}),
        ("tools.register", {"tools": [tool("x")] * (MAX_TOOLS + 1)}),
        ("tools.unregister", {}),
        ("tools.unregister", {"names": []}),
        ("tools.unregister", {"names": [5]}),
        ("tools.unregister", {"names": "x"}),
    ],
)
async def test_params_of_the_wrong_form_are_refused(
    connect: Connect, method: str, params: Any
) -> None:
    async with connect() as host:
        error = await host.error(method, params)
    assert error["code"] == -32602
    assert len(error["message"]) < 200


async def test_a_host_can_t_register_tools_without_end(connect: Connect) -> None:
    async with connect() as host:
        await host.register(*(f"t{number}" for number in range(MAX_TOOLS)))
        error = await host.error("tools.register", {"tools": [tool("one_more")]})
        assert (error["code"], str(MAX_TOOLS) in error["message"]) == (-32602, True)
        with anyio.fail_after(5):
            assert await host.execute("plain_echo", {"text": "好"})
