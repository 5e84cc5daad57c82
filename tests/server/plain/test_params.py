"""Who acts: `ctx` of a trusted host, else the agent of the command line."""

from typing import Any

import pytest
from tests.server.plain.conftest import Connect

from devloop_tools.app import MAX_KEPT


@pytest.mark.parametrize("ctx", [{"agent": "pm"}, {"agent": "coder"}, {"call_id": "c"}, {}])
@pytest.mark.parametrize("method", ["tools.execute", "hooks.pre_execute"])
async def test_ctx_is_refused_where_the_server_has_one_agent(
    connect: Connect, method: str, ctx: dict[str, str]
) -> None:
    name = {"name": "plain_echo"} if method == "tools.execute" else {"tool": "plain_echo"}
    async with connect() as host:
        error = await host.error(method, {**name, "ctx": ctx})
    assert error == {"code": -32602, "message": "ctx needs serve --host"}


async def test_the_agent_of_a_list_is_refused_there_too(connect: Connect) -> None:
    async with connect() as host:
        error = await host.error("tools.list", {"agent": "pm"})
    assert error == {"code": -32602, "message": "agent needs serve --host"}


async def test_each_agent_of_a_host_sees_its_own_tools(connect: Connect) -> None:
    async with connect(agent=None, host=True) as host:
        seen = {
            agent: [tool["name"] for tool in (await host.result("tools.list", given))["tools"]]
            for agent, given in {
                "bug-triager": {"agent": "bug-triager"},
                "devloop-bug-triager": {"agent": "devloop-bug-triager"},
                "architect": {"agent": "architect"},
            }.items()
        }
    assert seen["bug-triager"] == seen["devloop-bug-triager"] == ["plain_echo"]
    assert "write_todolist" in seen["architect"]


async def test_the_tools_of_an_agent_with_a_unit_can_be_listed_before_the_unit_is_known(
    connect: Connect,
) -> None:
    async with connect(agent=None, host=True) as host:
        tools = (await host.result("tools.list", {"agent": "coder"}))["tools"]
    assert [tool["name"] for tool in tools] == ["plain_echo", "plain_touch", "timeline_append"]


async def test_one_agent_is_allowed_what_another_is_not(connect: Connect) -> None:
    async with connect(host=True) as host:
        path = {"path": "docs/页.md"}
        touched = await host.execute("plain_touch", path, ctx={"agent": "architect"})
        forbidden = await host.failed("plain_touch", path, ctx={"agent": "bug-triager"})
        outside = await host.failed("plain_touch", {"path": "页.md"}, ctx={"agent": "architect"})
    assert touched == {"ok": True, "path": "docs/页.md"}
    assert forbidden == {"code": -32602, "message": "Unknown tool: plain_touch"}
    assert (outside["code"], outside["data"]["agent"]) == (4003, "architect")


async def test_who_acted_stands_in_files_and_events(connect: Connect) -> None:
    ctx = {"agent": "coder", "unit_id": "登录-be", "call_id": "toolu_7", "session_id": "会话 2"}
    async with connect(host=True) as host:
        await host.execute("timeline_append", {"event": "unit.built"}, ctx=ctx)
        [line] = host.timeline()
        events = host.events()
    assert {name: line[name] for name in ctx} == ctx
    assert [event.type for event in events] == ["timeline.appended", "tool.called"]
    for event in events:
        assert {name: getattr(event, name) for name in ctx} == ctx


async def test_the_unit_decides_what_a_coder_may_write(connect: Connect) -> None:
    async with connect(host=True) as host:
        for unit, path, code in [
            ("a", "units/a/x", None), ("a", "units/b/x", 4003), ("b", "units/b/x", None),
        ]:  # fmt: skip
            ctx = {"agent": "coder", "unit_id": unit}
            reply = await host.reply(host.start_tool("plain_touch", {"path": path}, ctx=ctx))
            assert reply.get("error", {}).get("code") == code, (unit, path)


@pytest.mark.parametrize(
    "ctx",
    [
        None,
        {},
        {"agent": None},
        {"session_id": "s"},
        {"agent": "coder"},
        {"agent": "devloop-coder"},
    ],
)
async def test_the_agent_of_the_command_line_is_the_default_with_its_unit(
    connect: Connect, ctx: dict[str, Any] | None
) -> None:
    async with connect(agent="coder", unit="todo-be", host=True) as host:
        await host.execute("timeline_append", {"event": "事"}, ctx=ctx)
        [line] = host.timeline()
    session = (ctx or {}).get("session_id", "session-1")
    found = (line["agent"], line["unit_id"], line["session_id"])
    assert found == ("coder", "todo-be", session)


@pytest.mark.parametrize("ctx", [None, {}, {"unit_id": "todo-be"}, {"call_id": "c"}])
async def test_a_call_for_nobody_is_refused(connect: Connect, ctx: dict[str, Any] | None) -> None:
    async with connect(agent=None, host=True) as host:
        error = await host.failed("plain_echo", {"text": "x"}, ctx=ctx)
        hooked = await host.error("hooks.pre_execute", {"tool": "Read", "ctx": ctx})
        listed = await host.error("tools.list")
    text = "ctx.agent is missing, and serve has no --agent"
    assert error == hooked == listed == {"code": -32602, "message": text}


@pytest.mark.parametrize(
    ("ctx", "words"),
    [
        ({"agent": "coder"}, "coder works on one unit"),
        ({"agent": "coder", "unit_id": "../x"}, "'../x' is no unit"),
        ({"agent": "coder", "unit_id": ""}, "ctx.unit_id: "),
        ({"agent": "写手"}, "there are: pm, architect, bug-triager, coder, misspelt"),
        ({"agent": "devloop-写手"}, "unknown agent: 写手"),
        ({"agent": "misspelt"}, "unknown tool: plain_ecko (did you mean plain_echo?)"),
        ({"agent": ""}, "ctx.agent: "),
        ({"agent": 5}, "ctx.agent: "),
        ({"agent": "x" * 65}, "ctx.agent: "),
        ({"agent": "pm", "call_id": "a\nb"}, "ctx.call_id: a text without control characters"),
        ({"agent": "pm", "session_id": "\ud800"}, "ctx.session_id: "),
        ({"agent": "pm", "session_id": "x" * 129}, "ctx.session_id: "),
        ({"agent": "pm", "project_id": "p"}, "ctx.project_id: "),
    ],
)
async def test_a_ctx_that_can_t_be_used_says_why(
    connect: Connect, ctx: dict[str, Any], words: str
) -> None:
    async with connect(agent=None, host=True) as host:
        error = await host.failed("plain_echo", {"text": "x"}, ctx=ctx)
        assert await host.execute("plain_echo", {"text": "好"}, ctx={"agent": "pm"})
    assert error["code"] == -32602
    assert words in error["message"]
    assert "/" not in error["message"].replace("../x", "")


async def test_mcp_s_methods_act_for_the_default_and_need_one(connect: Connect) -> None:
    async with connect(agent=None, host=True) as host:
        await host.initialize()
        error = await host.error("tools/list")
        assert (await host.execute("plain_echo", {"text": "好"}, ctx={"agent": "pm"}))["ok"]
    assert (error["code"], "--agent" in error["message"]) == (-32600, True)


async def test_a_host_that_names_ever_new_units_and_sessions_is_served(connect: Connect) -> None:
    async with connect(agent=None, host=True) as host:
        for number in range(MAX_KEPT + 10):
            ctx = {"agent": "coder", "unit_id": f"单元-{number}", "session_id": f"s-{number}"}
            await host.execute("plain_echo", {"text": "x"}, ctx=ctx)
        assert len(host.application.cast._made) <= MAX_KEPT
