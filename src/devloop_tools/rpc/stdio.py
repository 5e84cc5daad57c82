"""The transport over the process's own stdin and stdout.

fds 0 and 1 are taken away: the protocol uses private duplicates, fd 0 becomes /dev/null and fd 1
goes where stderr goes, so that no print and no child process can break the framing.
"""

import asyncio
import contextlib
import io
import os
import stat
import sys
from collections import deque

import anyio

from devloop_tools.protocol.framing import MAX_LINE_BYTES, LineFramer
from devloop_tools.rpc.transport import ENOUGH_QUEUED, PeerGone

_READ_BYTES = 1 << 16
_SAFE_WRITE = 4096
"""What a writable pipe takes without blocking (POSIX, PIPE_BUF; Linux frees whole pages)."""


def take_over() -> tuple[int, int]:
    """Private duplicates of fds 0 and 1, which from here on belong to nobody."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return read_fd, write_fd


def speak_utf8() -> None:
    """What tools print and what we log is UTF-8, whatever the environment says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class StdioTransport:
    """Lines over two descriptors, which may be pipes, sockets, files or a terminal."""

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        rest: bytes = b"",
        *,
        begun: bool = False,
        ended: bool = False,
        max_line: int = MAX_LINE_BYTES,
    ) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._polled = _can_be_polled(read_fd)
        self._framer = LineFramer(max_line, begun=begun)
        self._ended = False
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._writing = False
        self._awaited: asyncio.Future[None] | None = None
        self._watched = False
        self._has_queued = anyio.Event()
        self._drained: anyio.Event | None = None
        self._nonblocking = _make_nonblocking(write_fd)
        self._framer.feed(rest)
        if ended:
            self._end()

    async def receive(self) -> bytes | None:
        while True:
            if (line := self._framer.take()) is not None:
                return line
            if self._ended:
                return None
            await self._read()

    def send(self, line: bytes, *, last: bool = False) -> None:
        self._queue.append(line)
        self._queued += len(line)
        if not (last and self._written_at_once()):
            self._has_queued.set()

    def is_full(self) -> bool:
        return self._queued > ENOUGH_QUEUED

    async def ready(self) -> None:
        while self.is_full():
            await self._wait_drained()

    async def flush(self) -> None:
        while self._queued:
            await self._wait_drained()

    async def write_queued(self) -> None:
        while True:
            await self._has_queued.wait()
            self._has_queued = anyio.Event()
            self._writing = True
            while self._queue:
                await self._write(b"".join(self._take_queued()))
            self._writing = False

    async def _read(self) -> None:
        """Wait for bytes. The descriptor stays registered with the loop as long as that lasts."""
        if not self._polled:
            # A file is always readable; what was read so far has its turn first.
            await anyio.lowlevel.checkpoint()
            self._take_readable()
            return
        loop = asyncio.get_running_loop()
        self._awaited = loop.create_future()
        if not self._watched:
            self._watched = True
            loop.add_reader(self._read_fd, self._on_readable)
        await self._awaited

    def _on_readable(self) -> None:
        if self._awaited is None or self._awaited.done():
            # The connection is busy; until it asks again, the rest waits in the pipe.
            self._watched = False
            asyncio.get_running_loop().remove_reader(self._read_fd)
            return
        # Here and not in the awaiting task: only now is it sure that a read does not block.
        self._take_readable()
        self._awaited.set_result(None)

    def _take_readable(self) -> None:
        try:
            chunk = os.read(self._read_fd, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if chunk:
            self._framer.feed(chunk)
        else:
            self._end()

    def _end(self) -> None:
        self._framer.finish()
        self._ended = True

    def _take_queued(self) -> list[bytes]:
        lines = list(self._queue)
        self._queue.clear()
        return lines

    def _written_at_once(self) -> bool:
        """Write the queue without a turn of the event loop; False if some of it is left."""
        if self._writing or not self._nonblocking:
            return False
        data = b"".join(self._take_queued())
        try:
            written = os.write(self._write_fd, data)
        except OSError:
            # The writing task meets the same, and can wait or say that the peer is gone.
            written = 0
        self._note_written(written)
        if written < len(data):
            self._queue.appendleft(data[written:])
        return written == len(data)

    async def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                portion = view if self._nonblocking else view[:_SAFE_WRITE]
                written = os.write(self._write_fd, portion)
            except BlockingIOError:
                await anyio.wait_writable(self._write_fd)
                continue
            except OSError as exc:
                raise PeerGone(str(exc)) from exc
            view = view[written:]
            self._note_written(written)

    def _note_written(self, count: int) -> None:
        self._queued -= count
        if self._drained is not None:
            self._drained.set()
            self._drained = None

    async def _wait_drained(self) -> None:
        if self._drained is None:
            self._drained = anyio.Event()
        await self._drained.wait()


def restore_blocking(fd: int) -> None:
    """Undo what the transport did to an output that others may share."""
    with contextlib.suppress(OSError):
        os.set_blocking(fd, True)


def _can_be_polled(fd: int) -> bool:
    """Regular files and /dev/null are always readable and refused by epoll."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)


def _make_nonblocking(fd: int) -> bool:
    """Pipes and sockets have one writer, us; a terminal's flags belong to its other users too."""
    mode = os.fstat(fd).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return False
    os.set_blocking(fd, False)
    return True
