"""`serve` as a process: what it answers first, and how it says what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HANG_S = 30


OPENING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
)


LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'


WITHOUT_PYDANTIC = """
import sys
sys.modules["pydantic"] = None
from devloop_tools.cli.main import main
main()
"""


WITHOUT_STDERR = """
import os
os.close(2)
os.execv(sys.executable, [sys.executable, "-m", "devloop_tools", *sys.argv[1:]])
"""


def serve(
    program: list[str], project: Path, *more: str, sent: bytes = OPENING + LIST
) -> "subprocess.CompletedProcess[bytes]":
    flags = ["serve", "--agent", "pm", "--project-dir", str(project), *more]
    environ = {**os.environ, "XDG_STATE_HOME": str(project)}
    return subprocess.run(
        [sys.executable, *program, *flags],
        input=sent,
        capture_output=True,
        env=environ,
        timeout=HANG_S,
    )


def test_the_module_serves_as_the_command_does(tmp_path: Path) -> None:
    done = serve(["-m", "devloop_tools"], tmp_path)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [1, 2]
    assert "write_todolist" in {entry["name"] for entry in replies[1]["result"]["tools"]}
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("flags", "error"), [(["--protocol=modern"], -32022), (["--protocol", "legacy"], None)]
)
def test_the_first_answer_knows_which_revisions_are_spoken(
    flags: list[str], error: int | None, tmp_path: Path
) -> None:
    done = serve(["-m", "devloop_tools"], tmp_path, *flags, sent=OPENING)
    assert json.loads(done.stdout).get("error", {}).get("code") == error


def test_flags_that_can_not_be_used_are_said_after_the_first_answer(tmp_path: Path) -> None:
    done = serve(["-m", "devloop_tools"], tmp_path / "不存在", sent=OPENING)
    assert json.loads(done.stdout)["id"] == 1
    assert done.returncode == 2
    assert done.stderr.decode().startswith("devloop-tools serve: the project folder ")
    assert done.stderr.count(b"\n") == 1


def test_an_installation_that_is_broken_says_so_to_the_end(tmp_path: Path) -> None:
    done = serve(["-c", WITHOUT_PYDANTIC], tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Traceback (most recent call last):\n")
    assert done.stderr.endswith(b"import of pydantic halted; None in sys.modules\n")


def test_a_server_that_was_started_without_stderr_serves(tmp_path: Path) -> None:
    done = serve(["-c", f"import sys{WITHOUT_STDERR}"], tmp_path)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert done.returncode == 0


def test_help_is_printed_where_a_person_reads_it(tmp_path: Path) -> None:
    done = serve(["-m", "devloop_tools"], tmp_path, "--help", sent=b"")
    assert done.returncode == 0
    assert b"--tools-dir" in done.stdout
