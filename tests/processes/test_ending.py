"""How the process ends: with code 0 and at once, whatever it is doing."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.processes.server import PATIENCE_S, Ended, Server, command, serving

END_S = 2.0
"""A tenth of a second is meant; the guard is for a machine that is busy with other tests."""
ATTEMPTS = 8

Trigger = Callable[[Server], None]


def sends(number: signal.Signals) -> Trigger:
    return lambda server: server.signal(number)


TRIGGERS = [
    pytest.param(sends(signal.SIGINT), id="SIGINT"),
    pytest.param(sends(signal.SIGTERM), id="SIGTERM"),
    pytest.param(sends(signal.SIGHUP), id="SIGHUP"),
    pytest.param(Server.close_stdin, id="end of input"),
]


def ended_by(server: Server, trigger: Trigger) -> Ended:
    since = time.monotonic()
    trigger(server)
    ended = server.wait_ended(PATIENCE_S)
    assert ended is not None
    assert ended.at - since < END_S
    assert "Traceback" not in server.stderr
    return ended


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_it_ends_before_initialize(trigger: Trigger, tmp_path: Path) -> None:
    with Server(command(tmp_path)) as server:
        server.request(1, "ping")
        server.reply(1)
        assert ended_by(server, trigger).code == 0


def test_it_ends_without_a_line_when_the_input_was_never_open(tmp_path: Path) -> None:
    with Server(command(tmp_path)) as server:
        server.close_stdin()
        ended = server.wait_ended(PATIENCE_S)
        assert ended is not None
        assert (ended.code, server.lines, server.stderr) == (0, [], "")


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_it_ends_while_it_loads(trigger: Trigger, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        # The answer to initialize is the sign to load; nobody waited for the end of that.
        assert ended_by(server, trigger).code == 0


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_it_ends_when_idle(trigger: Trigger, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_echo", text="已就绪 ready")
        server.reply(1)
        assert ended_by(server, trigger).code == 0


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_stuck_thread_is_left_behind(trigger: Trigger, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_block", seconds=60)
        server.call(2, "f_echo", text="after it has begun")
        server.reply(2)
        assert ended_by(server, trigger).code == 0
        assert server.replies_to(1) == []


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_call_that_takes_longer_than_the_grace_is_not_answered(
    trigger: Trigger, tmp_path: Path
) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_sleep", seconds=60)
        server.call(2, "f_echo", text="after it has begun")
        server.reply(2)
        assert ended_by(server, trigger).code == 0
        assert server.replies_to(1) == []


@pytest.mark.parametrize("tool", ["f_sleep", "f_block"])
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_call_that_finishes_within_the_grace_is_answered(
    trigger: Trigger, tool: str, tmp_path: Path
) -> None:
    # The grace is 80 ms of a machine that others use too, so a few tries are given; a server
    # without grace answers in none of them.
    assert any(_answered_after(trigger, tool, tmp_path) for _ in range(ATTEMPTS))


def _answered_after(trigger: Trigger, tool: str, project: Path) -> bool:
    with serving(project) as server:
        server.call(1, "f_echo", text="loaded")
        server.reply(1)
        server.call(2, tool, seconds=0.03)
        server.call(3, "f_echo", text="after it has begun")
        server.reply(3)
        since = time.monotonic()
        assert ended_by(server, trigger).code == 0
        return any(line.at > since for line in server.replies_to(2))


def test_a_second_signal_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_block", seconds=60)
        server.call(2, "f_echo", text="after it has begun")
        server.reply(2)
        # What the Claude CLI does: SIGINT, and SIGTERM when it still lives 0.1 s later.
        server.signal(signal.SIGINT)
        assert ended_by(server, sends(signal.SIGTERM)).code == 0
