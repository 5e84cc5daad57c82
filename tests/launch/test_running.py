"""Running a CLI: what it says is passed on, and what it doesn't offer ends it."""

import io
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.running import ended_by_signals, run_headless, run_interactively
from devloop_tools.launch.verification import fault_in_init

CONNECTED = [{"name": "devloop", "status": "connected"}]


def init(tools: list[str], servers: Any = CONNECTED) -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "tools": tools, "mcp_servers": servers}


def headless(tmp_path: Path, code: str, out: io.BytesIO | None = None, prompt: str = "做") -> int:
    command = [sys.executable, "-c", code]
    given = prompt.encode()
    return run_headless(command, os.environ, tmp_path, ["Read"], given, out or io.BytesIO())


def saying(*events: object, then: str = "") -> str:
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return f"for line in {lines!r}: print(line, flush=True)\n{then}"


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        (init(["Read", "mcp__devloop__x"]), None),
        (init(["Read"]), "does not offer what the policy grants: mcp__devloop__x;"),
        (init([]), "does not offer what the policy grants: Read, mcp__devloop__x;"),
        (init(["Read"], [{"name": "devloop", "status": "failed"}]), "devloop is failed;"),
        (init(["Read"], []), "devloop is not there;"),
        ({"type": "system", "subtype": "init"}, "devloop is not there;"),
    ],
)
def test_the_first_event_is_held_against_what_is_granted(
    event: dict[str, Any], fault: str | None
) -> None:
    found = fault_in_init(event, ["Read", "mcp__devloop__x"])
    assert (found is None) == (fault is None)
    assert (fault or "") in (found or "")


def test_what_the_cli_says_is_passed_on_word_for_word(tmp_path: Path) -> None:
    out = io.BytesIO()
    code = saying("no JSON 写", init(["Read"]), init([]), "[]", then="import sys; sys.exit(7)")
    assert headless(tmp_path, code, out) == 7
    lines = out.getvalue().decode().splitlines()
    assert lines[0] == "no JSON 写"
    assert len(lines) == 4


def test_a_cli_that_offers_less_is_ended(tmp_path: Path) -> None:
    waiting = "import time, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); time.sleep(60)"
    with pytest.raises(LaunchError, match="does not offer what the policy grants: Read"):
        headless(tmp_path, saying(init([]), then=waiting))


def test_a_cli_that_says_nothing_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="ended with 3 and said nothing of its tools"):
        headless(tmp_path, "import sys; sys.exit(3)")


def test_a_signal_reaches_the_cli_and_its_end_is_told_as_a_shell_does(tmp_path: Path) -> None:
    class Asked(io.BytesIO):
        def write(self, data: Any) -> int:
            os.kill(os.getpid(), signal.SIGTERM)
            return super().write(data)

    before = signal.getsignal(signal.SIGTERM)
    code = saying(init(["Read"]), then="import time; time.sleep(60)")
    assert headless(tmp_path, code, Asked()) == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_interactive_cli_gets_the_terminal_and_ctrl_c_is_its_own(tmp_path: Path) -> None:
    code = "import os, signal, sys; os.kill(os.getppid(), signal.SIGINT); sys.exit(5)"
    assert threading.current_thread() is threading.main_thread()
    assert run_interactively([sys.executable, "-c", code], os.environ, tmp_path) == 5


def test_a_prompt_longer_than_a_command_line_reaches_the_cli_whole(tmp_path: Path) -> None:
    prompt, out = "--写 a\n" * 40_000, io.BytesIO()
    code = saying(init(["Read"]), then="import sys; sys.stdout.write(sys.stdin.read())")
    assert headless(tmp_path, code, out, prompt) == 0
    assert out.getvalue().decode().partition("\n")[2] == prompt


@pytest.mark.parametrize("name", ["没有", "folder", "text"])
def test_a_cli_that_can_t_be_started_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no program")
    command = [str(tmp_path / name)]
    with pytest.raises(LaunchError, match=f"{name}: can't be started"):
        run_headless(command, os.environ, tmp_path, [], b"go", io.BytesIO())
    with pytest.raises(LaunchError, match=f"{name}: can't be started"):
        run_interactively(command, os.environ, tmp_path)


def test_a_signal_before_its_first_word_ends_it_without_a_complaint(tmp_path: Path) -> None:
    code = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    assert headless(tmp_path, code) == 128 + signal.SIGTERM


def test_a_signal_while_all_is_made_ready_is_an_end_with_its_number() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with pytest.raises(SystemExit, match=str(128 + signal.SIGHUP)), ended_by_signals():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is before


def test_a_signal_that_is_ignored_already_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
