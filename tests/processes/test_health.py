"""Waiting for units that are real processes, in each way in which they may disappoint."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes.units import change, free_port, python, running_in, server, start, wait_until

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.integrator.health_wait import health_wait

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

LIES = """
import os, socket, sys, time
print("listening on", os.environ["PORT"], flush=True)
time.sleep(1)
"""
THEN_LISTENS = f"""{LIES}
HOST = "127.0.0.1"
"""
THEN_FAILS = f"""{LIES}
print("Address already in use", file=sys.stderr)
sys.exit(75)
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[ToolContext]:
    ctx = tool_context(tmp_path, agent="integrator", env={"PATH": os.environ["PATH"]})
    yield ctx
    ctx.units.close()
    assert wait_until(lambda: running_in(tmp_path) == [])


async def wait(ctx: ToolContext, *targets: dict[str, Any], timeout_s: float = 10) -> Any:
    return await call_tool(health_wait, {"targets": list(targets), "timeout_s": timeout_s}, ctx)


@pytest.mark.parametrize(
    ("host", "seen"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1")],
)
async def test_a_unit_is_found_on_whatever_family_it_listens_h_j02(
    ctx: ToolContext, host: str, seen: str
) -> None:
    port = await free_port(ctx)
    await start(ctx, {"unit_id": "a", "argv": server(host), "port": port})
    result = await wait(ctx, {"unit_id": "a"}, {"url": f"http://localhost:{port}/"})
    assert result.ready
    assert [target.address for target in result.targets] == [f"{seen}:{port}"] * 2


async def test_a_unit_that_says_ready_too_early_is_waited_for_h_j03(ctx: ToolContext) -> None:
    port = await free_port(ctx)
    program = f"{THEN_LISTENS}{server('')[-1].partition(chr(10))[2]}"
    unit = {"unit_id": "a", "argv": python(program), "port": port, "ready": {"log": "listening on"}}
    started = await start(ctx, unit)
    assert started.units[0].ready
    result = await wait(ctx, {"url": f"http://localhost:{port}/"}, timeout_s=0.5)
    assert result.targets[0].attempts == 1


async def test_a_unit_that_dies_ends_the_wait_at_once_h_j03(ctx: ToolContext) -> None:
    port = await free_port(ctx)
    await start(ctx, {"unit_id": "a", "argv": python(THEN_FAILS), "port": port})
    result = await wait(ctx, {"unit_id": "a"}, {"tcp": "localhost:9"}, timeout_s=60)
    assert not result.ready
    assert result.waited_s < 10
    target = result.targets[0]
    assert (target.exit_code, target.stderr_tail) == (75, ["Address already in use"])
    assert target.reason == "a ended with exit code 75"
    [event] = [e for e in recorded_events(ctx.workspace.root) if e.type == "unit.unhealthy"]
    assert event.data == {"unit_id": "a", "reason": target.reason, "exit_code": 75}
    by_url = await wait(ctx, {"url": f"http://localhost:{port}/"}, timeout_s=60)
    assert by_url.targets[0].exit_code == 75


async def test_a_start_that_waits_for_ready_says_what_came_instead(ctx: ToolContext) -> None:
    port = await free_port(ctx)
    ready = {"url": f"http://localhost:{port}/"}
    unit = {"unit_id": "a", "argv": python(THEN_FAILS), "port": port, "ready": ready}
    result = await start(ctx, unit)
    assert not result.passed
    [state] = result.units
    assert (state.state, state.ready, state.exit_code) == ("ended", False, 75)
    assert state.stderr_tail == ["Address already in use"]


async def test_a_unit_without_a_port_is_ready_while_it_lives(ctx: ToolContext) -> None:
    await start(ctx, {"unit_id": "a", "argv": python("import time; time.sleep(600)")})
    assert (await wait(ctx, {"unit_id": "a"})).ready
    await change(ctx, "stop", "a")
    assert (await wait(ctx, {"unit_id": "a"})).targets[0].reason == "a was ended by signal 15"
