"""When a process started, and that an ended one has no start."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from devloop_tools.rpc.process_starts import start_of

NOBODY = 2**30


@pytest.fixture(params=["linux", "darwin"])
def _system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    # Loaded now, it is the one for the system that this really is.
    pytest.importorskip("psutil")
    if request.param != "linux" or sys.platform == "linux":
        monkeypatch.setattr(sys, "platform", request.param)


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process


@pytest.mark.usefixtures("_system")
def test_a_process_has_a_parent_and_one_start(child: "subprocess.Popen[bytes]") -> None:
    start = start_of(child.pid)
    assert start is not None
    assert start.parent == os.getpid()
    assert start.started
    assert start == start_of(child.pid)


@pytest.mark.usefixtures("_system")
def test_what_is_left_of_an_ended_process_has_none(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    # It is not reaped: its pid is still there.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert start_of(child.pid) is None


@pytest.mark.usefixtures("_system")
def test_nobody_has_none() -> None:
    assert start_of(NOBODY) is None
