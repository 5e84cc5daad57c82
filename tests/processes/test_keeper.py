"""The keeper by itself, with the test in the place of the server."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes.units import python, running_in, wait_until

from devloop_tools.domain.running.keeper import MAX_LOG_BYTES, MAX_MARKS, Log

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

KEEPER = "import sys; from devloop_tools.domain.running.keeper import main; main(sys.argv[1:])"
SLEEPS = python("import time; print('up', flush=True); time.sleep(600)")
IGNORES_TERM = python(
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('up', flush=True); time.sleep(600)"
)


class Kept:
    """A keeper and the server's end of its socket."""

    def __init__(self, root: Path, argv: list[str], *, detach: bool = False) -> None:
        self.root = root
        self.control, theirs = socket.socketpair()
        self.control.settimeout(20)
        with contextlib.ExitStack() as held:
            held.enter_context(theirs)
            fds = [theirs.fileno()]
            for name in ("unit", "logs", "state"):
                (root / name).mkdir(exist_ok=True)
                fds.append(os.open(root / name, os.O_RDONLY | os.O_DIRECTORY))
                held.callback(os.close, fds[-1])
            # With what measures coverage, which the server's own keepers go without.
            self.process = subprocess.Popen(
                [sys.executable, "-c", KEEPER, *map(str, fds)], pass_fds=fds
            )
        self.lines = self.control.makefile("rb")
        order = {"unit_id": "a", "argv": argv, "env": {"PATH": os.environ["PATH"]},
                 "detach": detach, "grace_s": 0.3, "record": {"unit_id": "a"}}  # fmt: skip
        self.control.sendall(json.dumps(order).encode() + b"\n")

    def hears(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.lines.readline())
        return message

    def hang_up(self) -> None:
        self.control.shutdown(socket.SHUT_WR)

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "state/a.json").read_bytes())
        return found

    def has_written(self, text: bytes, stream: str = "stdout") -> bool:
        return text in (self.root / f"logs/{stream}.log").read_bytes()


@pytest.fixture
def keep(tmp_path: Path) -> Iterator[Any]:
    kept: list[Kept] = []

    def started(argv: list[str], **how: Any) -> Kept:
        kept.append(Kept(tmp_path, argv, **how))
        return kept[-1]

    yield started
    for one in kept:
        if one.process.poll() is None:
            one.process.terminate()
        one.process.wait(20)
        one.lines.close()
        one.control.close()


def test_it_tells_of_the_start_and_of_the_end(keep: Any) -> None:
    kept = keep(["sh", "-c", "echo 你好; echo oh >&2; exit 3"])
    started = kept.hears()
    assert (started["is"], started["pid"] > 0) == ("started", True)
    assert kept.hears() == {"is": "ended", "exit_code": 3, "asked": False}
    assert kept.process.wait(20) == 0
    assert (kept.record["state"], kept.record["exit_code"]) == ("ended", 3)
    assert kept.record["logs"]["stderr"]["total"] == 3
    assert kept.has_written("你好\n".encode())


def test_what_can_not_be_started_is_told_with_the_reason(keep: Any) -> None:
    kept = keep(["/no/such/program"])
    assert kept.hears() == {"is": "failed", "reason": "No such file or directory"}
    assert kept.process.wait(20) == 0
    assert kept.record["state"] == "failed"


def test_the_end_of_the_server_is_the_end_of_the_unit(keep: Any, tmp_path: Path) -> None:
    kept = keep(SLEEPS)
    kept.hears()
    kept.hang_up()
    assert kept.hears() == {"is": "ended", "exit_code": -signal.SIGTERM, "asked": True}
    assert kept.process.wait(20) == 0
    assert running_in(tmp_path) == []


def test_a_unit_that_ignores_term_is_killed_after_the_grace(keep: Any, tmp_path: Path) -> None:
    kept = keep(IGNORES_TERM)
    kept.hears()
    assert wait_until(lambda: kept.has_written(b"up"))
    before = time.monotonic()
    kept.process.terminate()
    assert kept.hears()["exit_code"] == -signal.SIGKILL
    assert time.monotonic() - before >= 0.3
    assert kept.process.wait(20) == 0
    assert running_in(tmp_path) == []


def test_what_left_the_group_and_ignores_term_is_ended_too(keep: Any, tmp_path: Path) -> None:
    child = " ".join(f"'{word}'" for word in IGNORES_TERM[:-1]) + f' "{IGNORES_TERM[-1]}"'
    kept = keep(["sh", "-c", f"setsid {child} & (setsid sleep 600 &) ; sleep 0.5; exit 7"])
    kept.hears()
    assert kept.hears() == {"is": "ended", "exit_code": 7, "asked": False}
    assert kept.process.wait(20) == 0
    assert running_in(tmp_path) == []


def test_a_detached_unit_goes_on_until_it_is_told(keep: Any, tmp_path: Path) -> None:
    kept = keep(SLEEPS, detach=True)
    kept.hears()
    kept.hang_up()
    assert wait_until(lambda: kept.has_written(b"up"))
    assert kept.process.poll() is None
    kept.process.terminate()
    assert kept.process.wait(20) == 0
    assert running_in(tmp_path) == []


def test_without_an_order_it_ends_at_once(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        words = [sys.executable, "-c", KEEPER, *[str(theirs.fileno())] * 4]
        keeper = subprocess.Popen(words, pass_fds=[theirs.fileno()])
    ours.close()
    assert keeper.wait(20) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def test_a_log_keeps_twice_its_size_and_counts_all(folder: int, tmp_path: Path) -> None:
    log = Log(folder, "stderr")
    chunk = b"x" * 65535 + b"\n"
    for _ in range(3 * MAX_LOG_BYTES // len(chunk)):
        log.write(chunk)
    kept = [(tmp_path / name).stat().st_size for name in ("stderr.log.1", "stderr.log")]
    assert kept == [MAX_LOG_BYTES, MAX_LOG_BYTES]
    assert log.as_object()["total"] == 3 * MAX_LOG_BYTES
    assert log.first == MAX_LOG_BYTES


def test_a_link_in_the_place_of_a_log_leads_nowhere(folder: int, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "stdout.log").symlink_to(tmp_path / "precious")
    Log(folder, "stdout").write(b"output\n")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "stdout.log").read_bytes() == b"output\n"


def test_marks_stay_few_and_cover_the_whole_time(
    folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log(folder, "stdout")
    now = [0.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    for _ in range(1000):
        now[0] += 5
        log.write(b"x")
    assert len(log.marks) <= MAX_MARKS
    assert (log.marks[0], log.marks[-1][1]) == ((5000, 0), 999)
