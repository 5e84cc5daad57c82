"""`devloop-tools events` as a process: it follows what happens, and ends quietly."""

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_events import commit
from tests.processes.server import PATIENCE_S, clean_environment


def words(root: Path, *more: str) -> list[str]:
    script = Path(sys.executable).with_name("devloop-tools")
    return [str(script), "events", "--project-dir", str(root), *more]


@contextmanager
def following(root: Path, *more: str) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        words(root, "--follow", *more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        bufsize=0,
    ) as process:
        timer = threading.Timer(PATIENCE_S, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


def next_line(process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    assert process.stdout is not None
    line = b""
    while not line.endswith(b"\n"):
        chunk = process.stdout.read(1)
        assert chunk, process.stderr.read() if process.stderr else b""
        line += chunk
    event: dict[str, Any] = json.loads(line)
    return event


def test_following_prints_what_another_process_commits(tmp_path: Path) -> None:
    with following(tmp_path) as process:
        commit(tmp_path, 1)
        assert next_line(process)["id"] == 1
        commit(tmp_path, 2)
        assert [next_line(process)["id"], next_line(process)["id"]] == [2, 3]


def test_following_starts_behind_the_given_event(tmp_path: Path) -> None:
    commit(tmp_path, 3)
    with following(tmp_path, "--after", "2") as process:
        assert next_line(process)["id"] == 3


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    commit(tmp_path, 1)
    with following(tmp_path) as process:
        next_line(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, errors) == (0, b"")


@pytest.mark.parametrize("more_to_come", [True, False])
def test_a_reader_who_has_had_enough_ends_it_quietly(tmp_path: Path, more_to_come: bool) -> None:
    commit(tmp_path, 1)
    with following(tmp_path) as process:
        next_line(process)
        assert process.stdout is not None
        process.stdout.close()
        if more_to_come:
            commit(tmp_path, 3)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_pipe_that_is_closed_in_the_middle_ends_it_quietly(tmp_path: Path) -> None:
    commit(tmp_path, 1)
    with sqlite3.connect(tmp_path / ".devloop" / "state.db") as connection:
        connection.executemany(
            "INSERT INTO events (ts, type, project_id, agent, data) VALUES ('', 't', 'p', 'a', ?)",
            [(json.dumps("长" * 1000),)] * 500,
        )
    connection.close()
    read_fd, write_fd = os.pipe()
    with subprocess.Popen(words(tmp_path), stdout=write_fd, stderr=subprocess.PIPE) as process:
        os.close(write_fd)
        select.select([read_fd], [], [], PATIENCE_S)
        os.close(read_fd)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, b"")
