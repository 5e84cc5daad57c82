"""Plain JSON-RPC and MCP on one connection, before and after the handshake."""

import orjson
import pytest
from tests.server.plain.conftest import Connect, Host


async def use_plain(host: Host) -> None:
    assert (await host.result("server.info"))["agent"] == "pm"
    assert (await host.execute("plain_echo", {"text": "好"}))["text"] == "好"
    assert (await host.result("session.state"))["state"] == "running"
    read = {"tool": "Read", "input": {"file_path": "prd/a"}}
    assert (await host.result("hooks.pre_execute", read))["ok"] is True


async def test_the_plain_door_is_open_before_and_after_the_handshake(connect: Connect) -> None:
    async with connect() as host:
        await use_plain(host)
        early = await host.error("tools/call", {"name": "plain_echo", "arguments": {"text": "x"}})
        assert early == {"code": -32600, "message": "tools/call comes after initialize"}
        await host.initialize()
        await use_plain(host)
        assert (await host.call("plain_echo", {"text": "再"}))["content"][0]["text"] == "再"


@pytest.mark.parametrize("offered", ["all", "legacy", "modern"])
async def test_the_plain_door_is_open_whatever_mcp_is_spoken(
    connect: Connect, offered: str
) -> None:
    async with connect(protocol=offered) as host:
        await use_plain(host)


async def test_what_one_door_changes_the_other_sees(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        plan = [{"id": "step-001", "description": "写"}]
        await host.call("write_todolist", {"items": plan})
        done = await host.execute("update_todo_item", {"id": "step-001", "status": "done"})
        state = await host.call("update_runtime_state", {"patch": {"阶段": 1}})
        again = await host.execute("update_runtime_state", {"patch": {}})
    assert (done["ok"], done["progress_pct"]) == (True, 100)
    assert state["structuredContent"] == again


async def test_the_same_call_has_the_same_outcome_at_both_doors(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        for kind in ("text", "no ok", "list", "nothing"):
            plain = await host.execute("plain_return", {"kind": kind})
            mcp = (await host.call("plain_return", {"kind": kind}))["content"][0]["text"]
            value = plain.get("text", plain.get("value", plain))
            assert mcp == (value if kind == "text" else orjson.dumps(value).decode())
        types = [event.type for event in host.events()]
    assert types == ["tool.called"] * 8


@pytest.mark.parametrize("cancel", ["$/cancel", "notifications/cancelled"])
@pytest.mark.parametrize("door", ["tools.execute", "tools/call"])
async def test_either_cancel_ends_a_call_of_either_door(
    connect: Connect, door: str, cancel: str
) -> None:
    async with connect() as host:
        await host.initialize()
        call = host.start(door, {"name": "plain_wait"})
        await host.settle()
        host.send({"method": cancel, "params": {"id": call, "requestId": call}})
        await host.settle()
        assert all(message.get("id") != call for message in host.heard)
        assert host.timeline()[0]["event"] == "wait.ended"


async def test_subscribers_hear_of_calls_at_the_other_door(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        await host.result("events.subscribe")
        await host.call("timeline_append", {"event": "事"})
        [event] = await host.told_times("event", 1)
    assert (event["type"], event["data"]["event"]) == ("timeline.appended", "事")


async def test_one_id_at_a_time_whichever_the_door(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        call = host.start_tool("plain_wait")
        host.send({"id": call, "method": "ping"})
        refused = await host.until(lambda message: "error" in message)
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        host.cancel(call)


@pytest.mark.parametrize("method", ["tools.run", "server.Info", "tools", "approvals.list.x", "。"])
async def test_a_method_that_nobody_knows_is_refused_at_once(connect: Connect, method: str) -> None:
    async with connect() as host:
        error = await host.error(method)
    assert error == {"code": -32601, "message": f"Method not found: {method}"}


async def test_a_notification_of_a_plain_method_runs_nothing(connect: Connect) -> None:
    async with connect() as host:
        params = {"name": "timeline_append", "input": {"event": "事"}}
        host.send({"method": "tools.execute", "params": params})
        await host.settle()
        assert not (host.root / "timeline.ndjson").exists()
