"""The agents that are shipped: what each may write and call, as the server builds them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from devloop_tools.app import build
from devloop_tools.server.actors import Actor
from devloop_tools.settings import Flags, SettingsError, resolve
from devloop_tools.storage.sandbox import Operation

AGENTS = ["architect", "bug-triager", "coder", "integrator", "pm", "tester"]

NATIVE = {
    "pm": ["Read", "Write"],
    "architect": ["Read", "Write"],
    "coder": ["Bash", "Edit", "Read", "Write"],
    "tester": ["Bash", "Read", "Write"],
    "integrator": ["Bash", "Read"],
    "bug-triager": ["Read"],
}

OWN = {
    "pm": ["prd/index.html", "prd/assets/shell.css"],
    "architect": ["sdd/units.json", "sdd/units/todo-be.html"],
    "coder": ["units/todo-be/src/main.ts", "units/todo-be/contract/types.ts"],
    "tester": ["units/todo-be/tests/a.test.ts"],
    "integrator": ["units/todo-be/logs/stdout.log", "units/登录/logs/a/b.log"],
    "bug-triager": ["triage.json"],
}

EVERYBODY = ["timeline.ndjson", "agent-state/history/a.json", "agent-state/{agent}-todo.json",
             "memory/devloop/{agent}/登录.md"]  # fmt: skip

NOBODY = ["README.md", ".git/config", ".env", "tools.d/agents.json", ".devloop/state.db",
          ".claude/settings.json", ".mcp.json", "prd/.env.local", "agent-state/.git/hooks/x",
          "timeline.ndjson.bak", "triage.json/x", "units/todo-be", "memory/devloop/x.md",
          "units/other/src/main.ts", "memory/devloop/other/a.md"]  # fmt: skip


@pytest.fixture
def actor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Actor]:
    """An agent as `serve --agent NAME --unit todo-be` builds it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()

    def made(agent: str) -> Actor:
        flags = Flags(agent=agent, project_dir=str(tmp_path / "project"), unit="todo-be")
        built = build(resolve(flags, {})).cast.default
        assert built is not None
        return built

    return made


def writable(actor: Actor, paths: list[str]) -> list[str]:
    sandbox = actor.workspace.sandbox
    return [
        path
        for pattern in paths
        if sandbox.judge(path := pattern.format(agent=actor.agent), Operation.WRITE).allowed
    ]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_writes_its_own_files_and_those_of_everybody(
    actor: Callable[[str], Actor], agent: str
) -> None:
    wanted = [path.format(agent=agent) for path in [*OWN[agent], *EVERYBODY]]
    assert writable(actor(agent), wanted) == wanted


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_writes_nothing_of_the_others(actor: Callable[[str], Actor], agent: str) -> None:
    shared = {"coder", "tester"}
    others = [name for name in AGENTS if name != agent and not {name, agent} <= shared]
    foreign = [path for name in others for path in OWN[name]]
    if agent in shared:
        # A unit's logs lie in its folder, which is its coder's and tester's.
        foreign.remove("units/todo-be/logs/stdout.log")
    foreign += [f"memory/devloop/{name}/a.md" for name in AGENTS if name != agent]
    assert writable(actor(agent), [*foreign, *NOBODY]) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_has_its_native_tools_and_the_five_of_everybody(
    actor: Callable[[str], Actor], agent: str
) -> None:
    acting = actor(agent)
    assert list(acting.policy.native_tools) == NATIVE[agent]
    assert {entry.name for entry in acting.catalog.entries()} >= {
        "write_todolist", "update_todo_item", "update_runtime_state", "timeline_append",
        "record_memory",
    }  # fmt: skip


@pytest.mark.parametrize("agent", ["coder", "tester"])
def test_an_agent_of_a_unit_does_not_start_without_one(tmp_path: Path, agent: str) -> None:
    with pytest.raises(SettingsError, match="--unit is missing"):
        resolve(Flags(agent=agent, project_dir=str(tmp_path)), {})
