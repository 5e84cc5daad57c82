"""The two checks of a first installation: what is registered, and one call over pipes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.phase0_verify import CRITICAL, main
from tests.processes.server import clean_environment

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def run(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(SCRIPTS / script), *arguments],
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_each_critical_tool_is_named_with_the_start_of_its_description() -> None:
    ended = run("phase0_verify.py")
    assert (ended.returncode, ended.stderr) == (0, "")
    *lines, last = ended.stdout.splitlines()
    assert [line.split(" · ")[0] for line in lines] == [f"✓ {name}" for name in CRITICAL]
    assert all(len(line.split(" · ", 1)[1]) == 40 for line in lines)
    assert last == "All 7 critical tools registered"


def test_a_tool_that_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("devloop_tools.tools.persistence") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("✓ write_todolist · ")
    assert lines[2:] == [f"MISSING: {name}" for name in CRITICAL[2:]]


def test_a_call_over_pipes_leaves_the_file_and_brings_the_event(tmp_path: Path) -> None:
    ended = run("phase0_test_call.py", str(tmp_path))
    assert (ended.returncode, ended.stderr) == (0, "")
    written = json.loads((tmp_path / "agent-state/pm-todo.json").read_text(encoding="utf-8"))
    assert [item["status"] for item in written["items"]] == ["todo", "todo"]
    assert "event → agent.todolist 1 of pm" in ended.stdout


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    ended = run("phase0_test_call.py", str(tmp_path / "gone"))
    assert ended.returncode != 0
    assert "does not exist" in ended.stderr
    assert "Traceback" not in ended.stderr
