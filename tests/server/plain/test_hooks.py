"""hooks.pre_execute: an ordered list of checks; the first refusal wins."""

from typing import Any

import pytest
from tests.server.plain.conftest import Connect

from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import memory_pair
from devloop_tools.server.actors import Actor
from devloop_tools.server.plain.hooks import Hook, HookParams, first_refusal
from devloop_tools.server.session import Session


@pytest.mark.parametrize(
    ("agent", "tool", "allowed"),
    [
        ("pm", "Read", True),
        ("pm", "Bash", False),
        ("pm", "write_todolist", True),
        ("pm", "mcp__devloop__write_todolist", True),
        ("coder", "Bash", True),
        ("coder", "Read", False),
        ("coder", "plain_echo", True),
        ("coder", "mcp__devloop__write_todolist", False),
        ("coder", "mcp__other__plain_echo", False),
        ("bug-triager", "没有", False),
    ],
)
async def test_a_host_asks_the_policy_about_its_tools_and_ours(
    connect: Connect, agent: str, tool: str, allowed: bool
) -> None:
    given = {"command": "ls", "file_path": "a"}
    async with connect(agent=None, host=True) as host:
        params = {"tool": tool, "input": given, "ctx": {"agent": agent, "unit_id": "a"}}
        answer = await host.result("hooks.pre_execute", params)
    name = tool.removeprefix("mcp__devloop__")
    refusal = {"ok": False, "reason": f"{name} is not granted to {agent}"}
    assert answer == ({"ok": True} if allowed else refusal)


@pytest.mark.parametrize("params", [None, {}, {"tool": ""}, {"tool": 5}, {"tool": "Read", "x": 1}])
async def test_params_of_the_wrong_form_are_refused(connect: Connect, params: Any) -> None:
    async with connect() as host:
        assert (await host.error("hooks.pre_execute", params))["code"] == -32602


async def test_hooks_are_asked_in_order_until_one_refuses(connect: Connect) -> None:
    asked = []

    def hook(name: str, reason: str | None) -> Hook:
        def ask(_session: Session, actor: Actor, params: HookParams) -> str | None:
            asked.append((name, actor.agent, params.tool))
            return reason

        return ask

    async with connect() as host:
        session = host.application.session(Connection(memory_pair()[1]))
        pm = host.application.cast.named("pm", None)
        hooks = [hook("one", None), hook("two", "不行"), hook("three", "no")]
        params = HookParams(tool="Bash")
        assert first_refusal(hooks, session, pm, params) == "不行"
        assert first_refusal(hooks[:1], session, pm, params) is None
    assert asked == [("one", "pm", "Bash"), ("two", "pm", "Bash"), ("one", "pm", "Bash")]


@pytest.mark.parametrize(
    ("tool", "given", "reason"),
    [
        ("Read", {"file_path": "prd/a"}, None),
        ("Read", {"file_path": "/etc/passwd"}, "file_path: /etc/passwd: it lies outside"),
        ("Read", {}, "file_path: a path is expected"),
        ("Bash", {"command": "cat .devloop/state.db"}, "Bash is not granted to pm"),
    ],
)
async def test_the_guard_is_asked_first_and_its_ruling_is_recorded(
    connect: Connect, tool: str, given: dict[str, Any], reason: str | None
) -> None:
    async with connect(agent="pm") as host:
        answer = await host.result("hooks.pre_execute", {"tool": tool, "input": given})
        [event] = host.events()
    assert answer["ok"] == (reason is None)
    assert answer.get("reason", "").startswith(reason or "")
    assert event.type == ("policy.refused" if reason else "policy.decided")
    assert (event.data["tool"], event.data["line"]) == (tool, event.data["line"])
