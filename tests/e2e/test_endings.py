"""What is left when a call, the server or the CLI ends before its time."""

import json
import os
import select
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import Signals
from tests.e2e.messages_stub import Call, Step

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes by pidfd"),
]

PLAN = {"items": [{"id": "step-001", "description": "先写测试 first"}]}
NEW_PLAN = {"items": [{"id": "step-002", "description": "重新开始 again"}]}
WRITE_PLAN = Call("mcp__devloop__write_todolist", PLAN)
WRITE_NEW_PLAN = Call("mcp__devloop__write_todolist", NEW_PLAN)
REPLACE_SLOWLY = Call("mcp__devloop__replace_slowly")


def user(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def steps_of(project: Path) -> list[str]:
    """The ids in the todo list; the folder holds no half-written file beside it."""
    folder = project / "agent-state"
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["pm-todo.json"]
    return [item["id"] for item in json.loads((folder / "pm-todo.json").read_bytes())["items"]]


class Watched:
    """A process that is seen to end, whosever child it is."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._fd = os.pidfd_open(pid)

    def ended(self) -> bool:
        """Wait for its end."""
        ready, _, _ = select.select([self._fd], [], [], 5)
        os.close(self._fd)
        return bool(ready)


def started(signals: Signals) -> Watched:
    """Wait until the slow tool is in the middle of its work; the server that runs it."""
    word, pid = signals.next()
    assert word == "started"
    return Watched(int(pid))


def test_an_interrupt_cancels_the_call_and_the_server_goes_on(
    slow_host: MakeHost, project: Path, signals: Signals
) -> None:
    host, model = slow_host(
        Step(calls=(WRITE_PLAN,)), Step(calls=(REPLACE_SLOWLY,)), Step(calls=(WRITE_NEW_PLAN,))
    )
    line = host.line("pm")
    with host.started(line, "--input-format", "stream-json", talking=True) as cli:
        cli.say(user("计划"))
        server = started(signals)
        request = {"subtype": "interrupt"}
        cli.say({"type": "control_request", "request_id": "stop", "request": request})
        assert signals.next() == ["cancelled"]
        cli.event("result")
        assert steps_of(project) == ["step-001"]
        cli.say(user("继续"))
        cli.event("result")
        run = cli.finish()
    written, interrupted, rewritten = model.results
    assert not written.is_error
    assert interrupted.is_error
    assert "The user doesn't want to proceed" in interrupted.text
    assert json.loads(rewritten.text)["ok"] is True
    history = project / "agent-state/history"
    assert len(list(history.iterdir())) == 1
    assert json.loads((project / "agent-state/pm-todo.json").read_bytes())["current"] == "step-002"
    assert run.returncode == 0
    assert server.ended()


def test_an_interrupted_cli_leaves_no_process_and_the_old_file_whole(
    slow_host: MakeHost, project: Path, signals: Signals
) -> None:
    host, _ = slow_host(Step(calls=(WRITE_PLAN,)), Step(calls=(REPLACE_SLOWLY,)))
    with host.started(host.line("pm"), "--", "计划") as cli:
        server = started(signals)
        cli.process.send_signal(signal.SIGINT)
        run = cli.finish()
    assert server.ended()
    assert steps_of(project) == ["step-001"]
    assert run.returncode == 0
    assert run.result["terminal_reason"] == "aborted_tools"


def test_a_killed_cli_leaves_no_process_and_the_old_file_whole(
    slow_host: MakeHost, project: Path, signals: Signals
) -> None:
    host, _ = slow_host(Step(calls=(WRITE_PLAN,)), Step(calls=(REPLACE_SLOWLY,)))
    with host.started(host.line("pm"), "--", "计划") as cli:
        server = started(signals)
        cli.process.kill()
        cli.finish()
    assert server.ended()
    assert steps_of(project) == ["step-001"]


def test_a_killed_server_is_started_again_and_knows_what_was_written(
    slow_host: MakeHost, project: Path, signals: Signals
) -> None:
    host, model = slow_host(
        Step(calls=(WRITE_PLAN,)),
        Step(calls=(REPLACE_SLOWLY,)),
        Step(calls=(WRITE_NEW_PLAN, Call("mcp__devloop__server_process"))),
    )
    with host.started(host.line("pm"), "--", "计划") as cli:
        server = started(signals)
        os.kill(server.pid, signal.SIGKILL)
        run = cli.finish()
    _, killed, rewritten, process = model.results
    assert (killed.text, killed.is_error) == ("Connection closed", True)
    assert json.loads(rewritten.text)["ok"] is True
    assert json.loads(process.text)["pid"] != server.pid
    old = next((project / "agent-state/history").iterdir())
    assert json.loads(old.read_bytes())["current"] == "step-001"
    assert run.returncode == 0
    assert run.result["is_error"] is False


def test_the_server_ends_with_the_cli_before_it_is_killed(
    slow_host: MakeHost, tmp_path: Path
) -> None:
    log = tmp_path / "debug.log"
    host, model = slow_host(Step(calls=(Call("mcp__devloop__server_process"),)))
    run = host.run(host.line("pm"), "hi", f"--debug-file={log}")
    pid = json.loads(model.results[0].text)["pid"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert run.returncode == 0
    said = log.read_text(encoding="utf-8")
    assert 'MCP server "devloop": Sending SIGINT' in said
    assert "sending SIGKILL" not in said
