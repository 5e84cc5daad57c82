"""fd 2 never blocks, whoever reads it or doesn't."""

import os
import re
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from devloop_tools.rpc.stderr import KEPT_BYTES, StderrPump

HANG_S = 10
NOTE = re.compile(rb"\n\[devloop-tools: (\d+) bytes of stderr dropped\]\n")


@contextmanager
def stderr() -> Iterator[int]:
    """The reading end of what stands in as the process's stderr.

    Not a fixture: pytest sets fd 2 between a test's fixtures and the test.
    """
    kept = os.dup(2)
    read_fd, write_fd = os.pipe()
    os.dup2(write_fd, 2)
    os.close(write_fd)
    try:
        yield read_fd
    finally:
        # This closes the pump's pipe too, at which its thread ends.
        os.dup2(kept, 2)
        for fd in (kept, read_fd):
            with suppress(OSError):
                os.close(fd)


def write_in_a_thread(data: bytes) -> threading.Thread:
    thread = threading.Thread(target=_write_all, args=(data,), daemon=True)
    thread.start()
    return thread


def _write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(2, view) :]


def read(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        assert select.select([fd], [], [], HANG_S)[0], "nothing more comes"
        data += os.read(fd, 1 << 16)
    return data


def test_what_is_written_arrives() -> None:
    with stderr() as real:
        StderrPump().start()
        os.write(2, "警告 a warning\n".encode())
        assert read(real, 17) == "警告 a warning\n".encode()


def test_a_writer_is_not_blocked_by_a_stderr_that_nobody_reads() -> None:
    with stderr():
        StderrPump().start()
        writer = write_in_a_thread(b"x" * 2_000_000)
        writer.join(HANG_S)
        assert not writer.is_alive()


def test_what_was_dropped_is_counted_once_somebody_reads() -> None:
    with stderr() as real:
        StderrPump().start()
        total = 2_000_000
        write_in_a_thread(b"x" * total).join(HANG_S)
        data = b""
        while not (note := NOTE.search(data)):
            data += read(real, 1)
        arrived = data.count(b"x")
        assert arrived + int(note[1]) == total
        assert KEPT_BYTES <= arrived < total
        os.write(2, b"after\n")
        assert read(real, 6) == b"after\n"


def test_what_is_left_at_the_end_is_passed_on() -> None:
    with stderr() as real:
        pump = StderrPump()
        os.write(2, b"devloop-tools serve: --agent is missing\n")
        pump.drain()
        os.set_blocking(real, False)
        assert os.read(real, 1000) == b"devloop-tools serve: --agent is missing\n"


def test_the_end_waits_a_moment_for_a_reader_that_is_slow() -> None:
    with stderr() as real:
        pump = StderrPump()
        reader = threading.Thread(target=read, args=(real, 200_000))
        for _ in range(4):
            os.write(2, b"x" * 50_000)
            pump.drain(within_s=0)
        reader.start()
        pump.drain(within_s=HANG_S)
        reader.join(HANG_S)
        assert not reader.is_alive()


def test_the_end_does_not_wait_for_a_reader_that_never_reads() -> None:
    with stderr() as real:
        pump = StderrPump()
        for _ in range(3):
            os.write(2, b"x" * 60_000)
            pump.drain()
        pump.drain()
        os.set_blocking(real, False)
        assert 60_000 <= len(os.read(real, 1 << 20)) < 180_000


def test_a_reader_that_has_gone_ends_nothing() -> None:
    with stderr() as real:
        StderrPump().start()
        os.close(real)
        writer = write_in_a_thread(b"x" * 1_000_000)
        writer.join(HANG_S)
        assert not writer.is_alive()


def test_the_thread_ends_when_everybody_has_closed_fd_2() -> None:
    with stderr() as real:
        before = set(threading.enumerate())
        StderrPump().start()
        [thread] = set(threading.enumerate()) - before
        os.write(2, b"last words\n")
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.close(null)
        thread.join(HANG_S)
        assert not thread.is_alive()
        assert read(real, 11) == b"last words\n"


def test_a_stderr_shared_with_others_that_does_not_block_loses_nothing() -> None:
    with stderr() as real:
        os.set_blocking(2, False)
        pump = StderrPump()
        for _ in range(3):
            os.write(2, b"x" * 60_000)
            pump.drain()
        arrived = len(read(real, 60_000))
        assert arrived < 180_000
        while arrived < 180_000:
            pump.drain()
            arrived += len(read(real, 1))
        assert arrived == 180_000
