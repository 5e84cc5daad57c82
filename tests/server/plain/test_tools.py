"""tools.list and tools.execute: the registry without MCP's handshake."""

import json
from typing import Any

import anyio
import pytest
from tests.server.plain.conftest import Connect

from devloop_tools.rpc.transport import ENOUGH_QUEUED

PERSISTENCE = [
    "record_memory",
    "timeline_append",
    "update_runtime_state",
    "update_todo_item",
    "write_todolist",
]


async def test_tools_are_listed_by_name_with_what_they_take(connect: Connect) -> None:
    async with connect() as host:
        tools = (await host.result("tools.list"))["tools"]
    names = [tool["name"] for tool in tools]
    assert names == sorted(names)
    assert {*PERSISTENCE, "plain_echo"} < {*names}
    assert all(tool.keys() == {"name", "description", "input_schema"} for tool in tools)
    [echo] = [tool for tool in tools if tool["name"] == "plain_echo"]
    assert echo["description"] == "Return the text."
    assert echo["input_schema"]["required"] == ["text"]


async def test_both_doors_list_the_same(connect: Connect) -> None:
    async with connect() as host:
        plain = (await host.result("tools.list", {}))["tools"]
        await host.initialize()
        mcp = (await host.result("tools/list"))["tools"]
    assert [(tool["name"], tool["input_schema"]) for tool in plain] == [
        (tool["name"], tool["inputSchema"]) for tool in mcp
    ]


async def test_a_tool_returns_its_own_json(connect: Connect) -> None:
    plan = [{"id": "step-001", "description": "写 the page"}]
    async with connect() as host:
        result = await host.execute("write_todolist", {"items": plan})
    assert result == {"ok": True, "total": 1, "path": "agent-state/pm-todo.json"}


async def test_an_expected_failure_is_a_result_and_no_error(connect: Connect) -> None:
    async with connect() as host:
        result = await host.execute("update_todo_item", {"id": "step-001", "status": "done"})
    assert result == {
        "ok": False,
        "reason": "agent-state/pm-todo.json: there is no todo list",
        "hint": "Call write_todolist first.",
    }


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("text", {"ok": True, "text": "两行\nof prose"}),
        ("no ok", {"found": 3}),
        ("not ok", {"ok": False, "reason": "找不到", "hint": "look elsewhere"}),
        ("list", {"ok": True, "value": [1, "二"]}),
        ("nothing", {"ok": True, "value": None}),
        ("image", {"ok": True, "content": [
            {"type": "text", "text": "图"},
            {"type": "image", "data": "AAE=", "mimeType": "image/png"},
        ]}),
    ],
)  # fmt: skip
async def test_whatever_a_tool_returns_comes_back_as_an_object(
    connect: Connect, kind: str, result: dict[str, Any]
) -> None:
    async with connect() as host:
        assert await host.execute("plain_return", {"kind": kind}) == result


async def test_prose_too_long_to_show_names_the_file_with_the_whole(connect: Connect) -> None:
    text = "很长 text " * 10_000
    async with connect() as host:
        shown = (await host.execute("plain_echo", {"text": text}))["text"]
        path = shown.rpartition(" ")[2]
        assert (host.root / path).read_text(encoding="utf-8") == text
    assert len(shown.encode()) < 50_000


@pytest.mark.parametrize("params", [{}, {"input": None}, {"input": {}}])
async def test_input_that_is_left_out_is_an_empty_object(
    connect: Connect, params: dict[str, Any]
) -> None:
    async with connect() as host:
        error = await host.error("tools.execute", {"name": "plain_echo", **params})
    assert (error["code"], error["data"]["field"]) == (4001, "text")


@pytest.mark.parametrize(
    ("params", "named"),
    [
        (None, "name: "),
        ({"name": 5}, "name: "),
        ({"name": "plain_echo", "input": []}, "input: "),
        ({"name": "plain_echo", "input": "{}"}, "input: "),
        ({"name": "plain_echo", "arguments": {"text": "x"}}, "arguments: "),
        ({"name": "plain_echo", "progress": "often"}, "progress: "),
        ({"name": "plain_echo", "ctx": "pm"}, "ctx: "),
        ({"name": "plain_echo", "ctx": {"agnet": "pm"}}, "ctx.agnet: "),
    ],
)
async def test_params_of_the_wrong_form_are_refused_by_name(
    connect: Connect, params: Any, named: str
) -> None:
    async with connect(host=True) as host:
        error = await host.error("tools.execute", params)
    assert error["code"] == -32602
    assert error["message"].startswith(named)
    assert "pydantic" not in str(error)


@pytest.mark.parametrize("name", ["plain_touch", "no_such_tool", "没有", "", "x" * 5000])
async def test_a_forbidden_tool_and_an_unknown_one_read_the_same_at_both_doors(
    connect: Connect, name: str
) -> None:
    async with connect(agent="bug-triager") as host:
        plain = await host.failed(name, {"path": 5})
        await host.initialize()
        mcp = await host.error("tools/call", {"name": name, "arguments": {"path": 5}})
    assert plain == mcp == {"code": -32602, "message": f"Unknown tool: {name}"}


async def test_progress_comes_with_the_id_of_the_request_that_asked(connect: Connect) -> None:
    async with connect() as host:
        request = host.start_tool("plain_steps", {"steps": 3}, progress=True)
        await host.reply(request)
        told = host.told("progress")
    assert told == [
        {"id": request, "progress": step, "total": 3, "message": f"第 {step} step"}
        for step in (1, 2, 3)
    ]


@pytest.mark.parametrize("more", [{}, {"progress": False}])
async def test_who_asks_for_no_progress_gets_none(connect: Connect, more: dict[str, bool]) -> None:
    async with connect() as host:
        await host.execute("plain_steps", {"steps": 3}, **more)
        assert host.told("progress") == []


async def test_a_reader_who_is_slow_is_not_buried_in_progress(connect: Connect) -> None:
    async with connect() as host:
        request = host.start_tool("plain_chatter", {"steps": 2000}, progress=True)
        await anyio.wait_all_tasks_blocked()
        assert await host.reply(request)
        told = host.told("progress")
    size = len(json.dumps(told, ensure_ascii=False).encode())
    assert ENOUGH_QUEUED / 2 < size < 2 * ENOUGH_QUEUED
    assert told[-1]["progress"] < 2000


async def test_a_cancelled_call_ends_and_is_not_answered(connect: Connect) -> None:
    async with connect() as host:
        waiting = host.start_tool("plain_wait")
        await host.execute("plain_echo", {"text": "one 先"})
        host.cancel(waiting)
        await host.settle()
        assert all(message.get("id") != waiting for message in host.heard)
        assert [entry["event"] for entry in host.timeline()] == ["wait.ended"]


@pytest.mark.parametrize("params", [{"id": 1}, {"id": "1"}, {"id": None}, {"id": [1]}, {}])
async def test_a_cancel_of_nothing_does_nothing(connect: Connect, params: dict[str, Any]) -> None:
    async with connect() as host:
        await host.settle()
        host.send({"method": "$/cancel", "params": params})
        assert (await host.execute("plain_echo", {"text": "好"}))["ok"] is True


async def test_a_slow_call_holds_up_no_other(connect: Connect) -> None:
    async with connect() as host:
        waiting = [host.start_tool("plain_wait") for _ in range(50)]
        with anyio.fail_after(5):
            assert (await host.execute("plain_echo", {"text": "快"}))["text"] == "快"
        for request in waiting:
            host.cancel(request)
