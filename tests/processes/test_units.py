"""Units as real processes: how they start, what reaches them, and that nothing of them stays."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.processes.server import Server, clean_environment, command, serving
from tests.processes.units import (
    change,
    free_port,
    python,
    running_in,
    server,
    start,
    wait_until,
)

from devloop_tools.cli.checks import check_project
from devloop_tools.domain.running.live_units import MARKER
from devloop_tools.domain.running.ports import PortLeases, is_listened_on
from devloop_tools.domain.running.records import UnitRecords
from devloop_tools.settings import Flags
from devloop_tools.toolkit import Refused, ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.integrator.health_wait import health_wait
from devloop_tools.tools.integrator.spawn_units import spawn_units

# With a sleep behind it, for the shell not to end by itself if its children are ended first.
FORKING = 'python3 -ISc "import time; time.sleep(99)" & (setsid sleep 99 &); echo up; wait; sleep 9'
IGNORES_TERM = python(
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True)\n"
    "while True: time.sleep(1)"
)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[ToolContext]:
    env = {"PATH": os.environ["PATH"], "LANG": None}
    ctx = tool_context(tmp_path, agent="integrator", write_allow=["units/*/logs/**"], env=env)
    yield ctx
    ctx.units.close()
    assert wait_until(lambda: running_in(tmp_path) == [])


def shell(unit_id: str, script: str, **more: Any) -> dict[str, Any]:
    return {"unit_id": unit_id, "argv": ["sh", "-c", script], **more}


def types_of(root: Path) -> list[str]:
    return [event.type for event in recorded_events(root) if event.type.startswith("unit.")]


async def test_a_unit_with_children_is_gone_after_stop_h_j04(ctx: ToolContext) -> None:
    root = ctx.workspace.root
    started = await start(ctx, shell("登录", FORKING, ready={"log": "up"}))
    assert started.passed
    assert started.units[0].ready
    [pid] = [unit.pid for unit in started.units]
    assert wait_until(lambda: len(running_in(root)) >= 4)
    stopped = await change(ctx, "stop", "登录")
    assert stopped.passed
    assert stopped.units[0].exit_code == -signal.SIGTERM
    assert running_in(root) == []
    assert types_of(root) == ["unit.started", "unit.stopped"]
    events = recorded_events(root)
    assert events[0].data == {"unit_id": "登录", "pid": pid, "port": None}
    assert events[1].data == {"unit_id": "登录", "exit_code": -15, "asked": True}


async def test_a_unit_that_ignores_term_is_killed_after_the_grace(ctx: ToolContext) -> None:
    unit = {"unit_id": "a", "argv": IGNORES_TERM, "ready": {"log": "up"}}
    assert (await start(ctx, unit)).passed
    stopped = await change(ctx, "stop", "a")
    assert stopped.units[0].exit_code == -signal.SIGKILL
    assert running_in(ctx.workspace.root) == []


def spawned(server_process: Server, **unit: Any) -> dict[str, Any]:
    arguments = {"action": "start", "units": [unit]}
    server_process.call("spawn", "spawn_units", **arguments)
    result: dict[str, Any] = server_process.reply("spawn")["result"]["structuredContent"]
    assert result["ok"], result
    return result


def test_units_end_with_their_server_that_is_killed_h_j04(tmp_path: Path) -> None:
    (tmp_path / "units/a").mkdir(parents=True)
    with serving(tmp_path) as server_process:
        server_process.call("port", "port_picker", names=["a"])
        reply = server_process.reply("port")["result"]["structuredContent"]
        port = reply["ports"]["a"]
        script = f"{sys.executable} -m http.server {port} & {FORKING}"
        spawned(server_process, **shell("a", script, port=port, ready={"tcp": f"localhost:{port}"}))
        server_process.signal(signal.SIGKILL)
        assert wait_until(lambda: running_in(tmp_path / "units") == [], 10)
    assert not is_listened_on(port)


PARENT = """
import json, subprocess, sys
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in json.loads(sys.argv[1]):
    child.stdin.write(json.dumps(line).encode() + b"\\n")
    child.stdin.flush()
while line := child.stdout.readline():
    print(line.decode(), flush=True)
"""


def test_units_end_with_the_client_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "units/a").mkdir(parents=True)
    arguments = {"action": "start", "units": [shell("a", FORKING, ready={"log": "up"})]}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools.execute",
            "params": {"name": "spawn_units", "input": arguments}}  # fmt: skip
    words = [sys.executable, "-c", PARENT, json.dumps([call]), *command(tmp_path)]
    client = subprocess.Popen(words, stdout=subprocess.PIPE, env=clean_environment())
    assert client.stdout is not None
    with client:
        assert b'"running"' in client.stdout.readline()
        assert running_in(tmp_path / "units")
        client.kill()
    assert wait_until(lambda: running_in(tmp_path / "units") == [], 10)


def test_a_detached_unit_outlives_its_server_and_another_one_stops_it(tmp_path: Path) -> None:
    (tmp_path / "units/a").mkdir(parents=True)
    with serving(tmp_path) as first:
        first.call("port", "port_picker", names=["a"])
        port = first.reply("port")["result"]["structuredContent"]["ports"]["a"]
        unit = {"unit_id": "a", "argv": server(), "port": port}
        first.call("spawn", "spawn_units", action="start", units=[unit], detach=True)
        assert first.reply("spawn")["result"]["structuredContent"]["passed"]
    ctx = tool_context(tmp_path, agent="integrator")
    assert [lease.port for lease in PortLeases(ctx.database).live()] == [port]
    with serving(tmp_path) as second:
        second.call("health", "health_wait", targets=[{"unit_id": "a"}])
        assert second.reply("health")["result"]["structuredContent"]["ready"]
        second.call("stop", "spawn_units", action="stop", units=[{"unit_id": "a"}])
        assert second.reply("stop")["result"]["structuredContent"]["passed"]
    assert running_in(tmp_path / "units") == []
    assert PortLeases(ctx.database).live() == []
    assert types_of(tmp_path) == ["unit.started", "unit.stopped"]


async def test_only_three_descriptors_and_the_granted_environment_reach_a_unit(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "s3cret")
    leak = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leak, True)
    program = "import os, json; print(json.dumps([os.listdir('/proc/self/fd'), dict(os.environ)]))"
    unit = {"unit_id": "a", "argv": python(program), "env": {"GREETING": "你好"}, "port": 23456}
    await start(ctx, unit)
    os.close(leak)
    kept = ctx.units.of("a")
    assert kept is not None
    assert kept.over.wait(10)
    fds, env = json.loads((ctx.workspace.root / "units/a/logs/stdout.log").read_bytes())
    # One more is the listing itself.
    assert len(fds) == 4
    assert {"0", "1", "2"} < set(fds)
    env.pop("LC_CTYPE", None)
    marker = env.pop(MARKER)
    assert marker == kept.marker
    assert env == {"PATH": os.environ["PATH"], "PORT": "23456", "GREETING": "你好"}


async def test_a_unit_that_dies_is_reported_with_code_and_last_words(ctx: ToolContext) -> None:
    result = await start(ctx, shell("a", "echo 端口坏了 >&2; exit 75"))
    assert not result.passed
    [unit] = result.units
    assert (unit.state, unit.exit_code, unit.stderr_tail) == ("ended", 75, ["端口坏了"])
    assert wait_until(lambda: types_of(ctx.workspace.root) == ["unit.started", "unit.stopped"])
    again = await change(ctx, "status")
    assert [(u.state, u.exit_code) for u in again.units] == [("ended", 75)]


async def test_a_program_that_is_not_there_is_named_and_nothing_stays(ctx: ToolContext) -> None:
    result = await start(ctx, {"unit_id": "a", "argv": ["no-such-program"]})
    assert [unit.state for unit in result.units] == ["failed"]
    assert result.units[0].reason == "no-such-program: No such file or directory"


async def test_dependencies_start_first_and_stop_last(ctx: ToolContext) -> None:
    root = ctx.workspace.root
    design = {"units": [{"id": "web", "depends_on": ["api"]}, {"id": "api", "depends_on": ["db"]},
                        {"id": "db"}]}  # fmt: skip
    (root / "sdd").mkdir()
    (root / "sdd/units.json").write_text(json.dumps(design))
    started = await start(ctx, *(shell(name, "sleep 600") for name in ("web", "db", "api")))
    assert [unit.unit_id for unit in started.units] == ["db", "api", "web"]
    await change(ctx, "stop", "db", "web", "api")
    ended = [e.data["unit_id"] for e in recorded_events(root) if e.type == "unit.stopped"]
    assert ended == ["web", "api", "db"]


async def test_what_depends_on_a_dead_unit_is_not_started(ctx: ToolContext) -> None:
    root = ctx.workspace.root
    (root / "sdd").mkdir()
    design = {"units": [{"id": "web", "depends_on": ["db"]}, {"id": "db"}]}
    (root / "sdd/units.json").write_text(json.dumps(design))
    result = await start(ctx, shell("web", "sleep 600"), shell("db", "exit 3"))
    assert [(u.unit_id, u.state) for u in result.units] == [("db", "ended"), ("web", "not_started")]
    assert "db" in result.units[1].reason


async def test_what_depends_on_a_stopped_unit_is_not_started_without_it(ctx: ToolContext) -> None:
    root = ctx.workspace.root
    (root / "sdd").mkdir()
    design = {"units": [{"id": "web", "depends_on": ["库", "shapes"]}, {"id": "库"}]}
    (root / "sdd/units.json").write_text(json.dumps(design))
    web, library = shell("web", "sleep 600"), shell("库", "sleep 600")
    # Of what was never started nobody knows whether it is a process.
    assert (await start(ctx, web)).passed
    assert (await start(ctx, library)).passed
    await change(ctx, "stop", "库")
    for action in ("restart", "start"):
        if action == "start":
            await change(ctx, "stop", "web")
        arguments = {"action": action, "units": [web]}
        refusal = await call_tool(spawn_units, arguments, ctx)
        assert isinstance(refusal, Refused)
        assert refusal.reason == "units: web depends on 库, which does not run any more."
        assert bool(running_in(root)) is (action == "restart")
    assert (await start(ctx, web, library)).passed


async def test_a_circle_in_the_design_starts_nothing(ctx: ToolContext) -> None:
    (ctx.workspace.root / "sdd").mkdir()
    design = {"units": [{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}]}
    (ctx.workspace.root / "sdd/units.json").write_text(json.dumps(design))
    refusal = await start(ctx, shell("a", "sleep 600"), shell("b", "sleep 600"))
    assert "in a circle: " in refusal.reason
    assert running_in(ctx.workspace.root) == []


async def test_a_port_that_somebody_holds_is_named(ctx: ToolContext) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refusal = await start(ctx, {"unit_id": "a", "argv": server(), "port": port})
    assert not refusal.ok
    assert f"port {port} of a is held by pid {os.getpid()} (" in refusal.reason


async def test_somebody_who_takes_the_port_is_never_taken_for_the_unit(ctx: ToolContext) -> None:
    port = await free_port(ctx)
    await start(ctx, shell("a", "sleep 600", port=port))
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        result = await call_tool(
            health_wait, {"targets": [{"unit_id": "a"}], "timeout_s": 0.5}, ctx
        )
    assert not result.ready
    assert f"port {port} is held by pid {os.getpid()} (" in result.targets[0].reason


async def test_a_unit_whose_folder_is_gone_is_named(ctx: ToolContext) -> None:
    (ctx.workspace.root / "units").mkdir()
    refusal = await call_missing(ctx)
    assert refusal.reason == "units[0].cwd: there is no folder units/gone."
    assert not (ctx.workspace.root / "units/gone").exists()


async def call_missing(ctx: ToolContext) -> Any:
    from devloop_tools.tools.integrator.spawn_units import spawn_units

    units = [{"unit_id": "gone", "argv": ["true"]}]
    return await call_tool(spawn_units, {"action": "start", "units": units}, ctx)


async def test_a_unit_runs_once_and_restarts_by_itself(ctx: ToolContext) -> None:
    first = await start(ctx, shell("a", "sleep 600", env={"A": "1"}))
    again = await start(ctx, shell("a", "sleep 600"))
    assert again.reason == f"units: a runs already (pid {first.units[0].pid})."
    restarted = await change(ctx, "restart", "a")
    assert restarted.passed
    assert restarted.units[0].pid != first.units[0].pid
    kept = ctx.units.of("a")
    assert kept is not None
    assert kept.launch.env["A"] == "1"


async def test_a_restart_of_what_never_ran_says_what_is_missing(ctx: ToolContext) -> None:
    refusal = await change(ctx, "restart", "a")
    assert refusal.reason.startswith("units[0].argv: missing")


WIPED = "(env -i PATH=$PATH setsid sleep 600 &) ; " + FORKING
"""Also a child that no marker tells of."""


def keepers(root: Path) -> tuple[int, int]:
    """The two processes of the keeper of unit a."""
    record = UnitRecords(root, "integrator").of("a")
    assert record is not None
    [worker] = [child.pid for child in psutil.Process(record.keeper.pid).children()]
    return record.keeper.pid, worker


@pytest.mark.parametrize("which", [0, 1], ids=["the one that stands by", "the worker"])
async def test_a_keeper_that_is_killed_leaves_nothing(ctx: ToolContext, which: int) -> None:
    root = ctx.workspace.root
    await start(ctx, shell("a", WIPED, ready={"log": "up"}))
    assert wait_until(lambda: len(running_in(root)) >= 5)
    os.kill(keepers(root)[which], signal.SIGKILL)
    kept = ctx.units.of("a")
    assert kept is not None
    assert kept.over.wait(10)
    assert running_in(root) == []
    state = (await change(ctx, "status", "a")).units[0]
    # The worker alone has heard how the unit ended.
    assert (state.state, state.exit_code) == ("ended", [-signal.SIGTERM, None][which])


async def test_a_keeper_killed_whole_leaves_nothing_that_can_be_known(ctx: ToolContext) -> None:
    root = ctx.workspace.root
    await start(ctx, shell("a", FORKING, ready={"log": "up"}))
    assert wait_until(lambda: len(running_in(root)) >= 4)
    kill_at_once(*keepers(root))
    kept = ctx.units.of("a")
    assert kept is not None
    assert kept.over.wait(10)
    assert running_in(root) == []


def kill_at_once(*pids: int) -> None:
    """None of them is left to see another one's end."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)


@pytest.fixture
def bystander(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of another run, in the same folder."""
    env = {**os.environ, MARKER: "of another run"}
    with subprocess.Popen(["sleep", "600"], cwd=tmp_path, env=env) as process:
        yield process
        process.kill()


def told_of_units(root: Path) -> list[str]:
    findings = check_project(Flags(project_dir=str(root)))
    return [finding.found for finding in findings if finding.check == "units"]


async def test_what_a_killed_server_and_keeper_left_is_ended_by_the_next_call_and_no_other(
    ctx: ToolContext, bystander: "subprocess.Popen[bytes]"
) -> None:
    root = ctx.workspace.root
    (root / "units/a").mkdir(parents=True)
    with serving(root) as first:
        spawned(first, **shell("a", FORKING, ready={"log": "up"}))
        assert wait_until(lambda: len(running_in(root / "units")) >= 4)
        kill_at_once(first.pid, *keepers(root))
    assert wait_until(lambda: len(running_in(root / "units")) < 4)
    left = " ".join(map(str, running_in(root / "units")))
    assert left
    assert told_of_units(root) == [f"a: its keeper was killed, and its processes {left} are left"]
    state = (await change(ctx, "status", "a")).units[0]
    assert (state.state, state.exit_code) == ("ended", None)
    assert wait_until(lambda: running_in(root / "units") == [])
    assert told_of_units(root) == []
    assert bystander.poll() is None


FLOOD = python(
    "import os\n"
    "line = b'x' * 65535 + b'\\n'\n"
    "for _ in range(16384): os.write(2, line)\n"
    "os.write(2, b'the end\\n')\n"
)


async def test_a_gigabyte_on_stderr_harms_nobody_and_fills_no_disk(ctx: ToolContext) -> None:
    await start(ctx, {"unit_id": "a", "argv": FLOOD})
    kept = ctx.units.of("a")
    assert kept is not None
    assert kept.over.wait(60)
    logs = ctx.workspace.root / "units/a/logs"
    sizes = {path.name: path.stat().st_size for path in logs.iterdir()}
    assert sum(sizes.values()) <= 2 * 4 * 1024 * 1024 + 65536
    assert (logs / "stderr.log").read_bytes().endswith(b"the end\n")
    record = UnitRecords(ctx.workspace.root, "integrator").of("a")
    assert record is not None
    assert record.exit_code == 0
    assert record.logs["stderr"].total == 16384 * 65536 + len(b"the end\n")
    assert record.logs["stderr"].total - record.logs["stderr"].first == sum(sizes.values())
