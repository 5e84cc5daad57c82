"""Composition root: what a server process holds, and how it serves and ends."""

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.server.conftest import make_application, text_of, timeline_of

from devloop_tools.app import build, call_once, load_agent, serve
from devloop_tools.domain.events import EventLog
from devloop_tools.registry.agents import AgentsError
from devloop_tools.registry.policy import PolicyError
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.server.actors import UnknownActor
from devloop_tools.settings import Flags, Settings, resolve
from devloop_tools.storage.database import Database
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool

AGENTS = {
    "templates": [
        {
            "id": "devloop-pm",
            "cli": {"toolPolicy": ["timeline_append", "Read"]},
            "sandbox": {"writeAllowList": ["timeline.ndjson"]},
        },
        {
            "id": "devloop-coder",
            "cli": {"toolPolicy": ["*"]},
            "sandbox": {"writeAllowList": ["units/{unit_id}/**", "timeline.ndjson"]},
        },
        {"id": "devloop-typo", "cli": {"toolPolicy": ["timeline_apend"]}},
    ]
}


@pytest.fixture
def tools_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "tools.d"
    folder.mkdir()
    (folder / "agents.json").write_text(json.dumps(AGENTS), encoding="utf-8")
    return folder


def settings(tools_dir: Path, **flags: Any) -> Settings:
    project = tools_dir.parent / "项目"
    project.mkdir(exist_ok=True)
    given = {"agent": "pm", "project_dir": str(project), "tools_dir": str(tools_dir), **flags}
    return resolve(Flags(**given), {})


def test_an_agent_has_what_its_template_grants(tools_dir: Path) -> None:
    default = build(settings(tools_dir)).cast.default
    assert default is not None
    assert [entry.name for entry in default.catalog.entries()] == ["timeline_append"]
    assert default.workspace.sandbox.write_allow == ("timeline.ndjson",)
    assert (default.project_id, default.unit_id) == ("项目", None)


def test_the_unit_stands_in_the_paths_that_a_coder_may_write(tools_dir: Path) -> None:
    default = build(settings(tools_dir, agent="coder", unit="待办-be")).cast.default
    assert default is not None
    assert default.workspace.sandbox.write_allow == ("units/待办-be/**", "timeline.ndjson")
    assert len(default.catalog.entries()) >= 5


def test_what_is_wrong_with_the_agents_is_said(tools_dir: Path) -> None:
    with pytest.raises(AgentsError, match=r"unknown agent: 不存在; .* has: pm, coder, typo"):
        build(settings(tools_dir, agent="不存在"))
    with pytest.raises(PolicyError, match=r"timeline_apend \(did you mean timeline_append\?\)"):
        load_agent("typo", tools_dir)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, []),
        (1, ["toolPolicy[1]: mcp__gh__t0 is of an upstream that isn't known yet"]),
        (2, ["2 rules of pm are for tools that aren't there yet: mcp__gh__t0, mcp__gh__t1; devl"]),
        (20, ["mcp__gh__t7 and 12 more; devloop-tools doctor --agent pm says where and why"]),
    ],
)
def test_rules_for_tools_that_are_not_there_yet_are_one_line(
    tools_dir: Path, count: int, said: list[str]
) -> None:
    rules = ["Read", *(f"mcp__gh__t{number}" for number in range(count))]
    agents = {"templates": [{"id": "devloop-pm", "cli": {"toolPolicy": rules}}]}
    (tools_dir / "agents.json").write_text(json.dumps(agents), encoding="utf-8")
    lines = list(build(settings(tools_dir)).complaints())
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


def test_other_agents_are_made_when_a_host_names_them(tools_dir: Path) -> None:
    cast = build(settings(tools_dir, agent=None, host=True)).cast
    assert cast.default is None
    assert cast.named("coder", "u-1") is cast.named("coder", "u-1")
    assert cast.named("devloop-pm", None).agent == "pm"
    for agent, unit in (("coder", None), ("pm", "../x"), ("不存在", None)):
        with pytest.raises(UnknownActor):
            cast.named(agent, unit)


def test_a_call_without_a_client_takes_the_same_way(tools_dir: Path) -> None:
    application = build(settings(tools_dir))
    body = anyio.run(call_once, application, "timeline_append", {"event": "手动"})
    assert json.loads(text_of(body["result"])) == {"ok": True, "seq": 1}
    types = [event.type for event in application.events.read(0)]
    assert types == ["timeline.appended", "tool.called"]


class NoInput(ToolInput):
    pass


@tool(READ)
async def wait(args: NoInput, ctx: ToolContext) -> str:
    """Wait for ever."""
    await anyio.sleep_forever()
    return "never"


@pytest.fixture
def signals() -> Iterator[None]:
    """Signal handlers as they were before."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def serving(tmp_path: Path, signals: None) -> "Serving":
    return Serving(tmp_path)


class Serving:
    """`serve` on a pair in memory; it is cut short, since its own end would end this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events = EventLog(Database(root))
        self._theirs: MemoryTransport

    def call(self, name: str, arguments: object) -> None:
        params = {"name": name, "arguments": arguments}
        line = {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params}
        self._theirs.send(json.dumps(line).encode())

    async def next(self) -> Any:
        line = await self._theirs.receive()
        assert line is not None
        return json.loads(line)

    async def run(self, work: Any) -> None:
        self._theirs, ours = memory_pair()
        answered = [("ping", {}), ("initialize", {"protocolVersion": "2024-11-05"})]
        application = make_application(self.root, wait)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serve, application, ours, answered)
                await work(self)
                tasks.cancel_scope.cancel()


async def test_what_was_agreed_before_the_connection_holds(serving: Serving) -> None:
    async def work(serving: Serving) -> None:
        serving.call("timeline_append", {"event": "早"})
        reply = await serving.next()
        assert text_of(reply["result"]) == '{"ok":true,"seq":1}'
        assert "structuredContent" not in reply["result"]

    await serving.run(work)
    assert timeline_of(serving.root)[0]["event"] == "早"


async def test_events_of_calls_are_committed_while_it_serves(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devloop_tools.app.FLUSH_EVERY_S", 0.001)

    async def work(serving: Serving) -> None:
        serving.call("timeline_append", {"event": "e"})
        await serving.next()
        while [event.type for event in serving.events.read(0)][-1:] != ["tool.called"]:
            await anyio.lowlevel.checkpoint()

    await serving.run(work)


async def test_events_that_can_not_be_committed_are_said_once_and_end_nothing(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("devloop_tools.app.FLUSH_EVERY_S", 0.001)
    (serving.root / ".devloop").write_text("in the way")

    async def work(serving: Serving) -> None:
        for _ in range(100):
            serving.call("update_todo_item", {"id": "no"})
            assert (await serving.next())["result"]["isError"] is True

    caplog.set_level(logging.WARNING)
    await serving.run(work)
    assert [line.startswith("events: ") for line in caplog.messages].count(True) == 1


SIGNALLED_LATE = """
import signal, sys, time
from pathlib import Path
import anyio
from devloop_tools.app import serve
from devloop_tools.rpc.memory import memory_pair
from tests.server.conftest import make_application

async def main():
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve, make_application(Path(sys.argv[1])), memory_pair()[1], [])
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()

anyio.run(main)
signal.raise_signal(signal.SIGTERM)
print("alive", flush=True)
time.sleep(60)
"""


def test_a_signal_after_the_loop_has_ended_is_harmless(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED_LATE, str(tmp_path)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"alive\n", b"")
