"""The command line as a person gets it wrong: one line that says why, and never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes.server import PATIENCE_S

EVENT = ["call", "timeline_append", '{"event": "构.built"}', "--agent", "pm"]


def run(*words: str, folder: Path, out: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devloop_tools", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize("below", ["文件/下面", "长" * 300])
def test_a_folder_that_can_t_be_made_is_said_in_one_line(below: str, tmp_path: Path) -> None:
    (tmp_path / "文件").touch()
    done = run("demo", str(tmp_path / below), folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"devloop-tools: {tmp_path / below}: ")
    assert done.stderr.count("\n") == 1


def test_serve_without_a_word_says_what_is_missing(tmp_path: Path) -> None:
    done = run("serve", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("devloop-tools serve: --agent is missing")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize("words", [EVENT, ["events"], ["dump-schema"]])
def test_output_that_can_t_be_written_is_said_in_one_line(words: list[str], tmp_path: Path) -> None:
    assert run(*EVENT, folder=tmp_path).returncode == 0
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(*words, folder=tmp_path, out=full)
    finally:
        os.close(full)
    assert (done.returncode, done.stderr) == (2, "devloop-tools: No space left on device\n")


def test_a_reader_who_leaves_is_told_nothing(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = run("dump-schema", folder=tmp_path, out=write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
