"""scripts/show_run.py: the sample that `make run` shows."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.processes.server import clean_environment

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "show_run.py"


def shown(root: Path) -> "subprocess.CompletedProcess[str]":
    copy = root / "scripts" / SCRIPT.name
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(SCRIPT, copy)
    return subprocess.run(
        [sys.executable, str(copy)],
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_it_shows_each_call_what_the_model_reads_and_the_files(tmp_path: Path) -> None:
    for _ in range(2):
        ended = shown(tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "")
    for words in (
        "initialize → devloop-tools",
        'write_todolist {"items": [{"id": "step-001"',
        "can't be done while it depends on step-001",
        "evnt: unknown field (did you mean event?)",
        "error -32602: Unknown tool: spawn_units",
        "end of input → exit code 0",
        "── agent-state/pm-todo.json",
        "── timeline.ndjson",
        "Sessions end after 30 minutes.",
    ):
        assert words in ended.stdout


def test_a_folder_that_it_did_not_make_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "sample-project" / "我的.md"
    mine.parent.mkdir()
    mine.write_text("keep")
    ended = shown(tmp_path)
    assert ended.returncode == 1
    assert "was not made by this script" in ended.stderr
    assert mine.read_text() == "keep"
