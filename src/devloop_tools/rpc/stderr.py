"""Keeps fd 2 from blocking anybody, although nobody may read it.

fd 2 becomes a pipe of our own that a thread empties at once; the thread passes on to the real
stderr what that takes without blocking, keeps some, and drops and counts the rest.
"""

import os
import select
import sys
import threading
import time

KEPT_BYTES = 256 * 1024
"""More than this is not kept for a reader that doesn't read."""

_CHUNK = 1 << 16
_SAFE_WRITE = 4096
"""What a descriptor that polls as writable takes without blocking."""


def ensure_stderr() -> None:
    """Where the process was started without fd 2, what goes there is lost, and nothing more."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)


class StderrPump:
    """Owns the real stderr; `start` puts the pipe in its place."""

    def __init__(self) -> None:
        self._real = os.dup(2)
        self._read_fd, write_fd = os.pipe()
        os.dup2(write_fd, 2)
        os.close(write_fd)
        os.set_blocking(self._read_fd, False)
        self._kept = bytearray()
        self._dropped = 0
        self._ended = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Pump in a daemon thread until the process ends, or everybody has closed fd 2."""
        threading.Thread(target=self._run, name="stderr", daemon=True).start()

    def drain(self, within_s: float = 0.01) -> None:
        """Pass on what is there, as far as the real stderr takes it; called before the end."""
        deadline = time.monotonic() + within_s
        while self._step() or self._kept:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._real], [], left)[1]:
                return

    def _run(self) -> None:
        while self._kept or not self._ended:
            inputs = [] if self._ended else [self._read_fd]
            select.select(inputs, [self._real] if self._kept else [], [])
            self._step()

    def _step(self) -> bool:
        """Move what can be moved at once; False when there was nothing."""
        with self._lock:
            took = self._take()
            gave = self._give()
            return took or gave

    def _take(self) -> bool:
        try:
            chunk = os.read(self._read_fd, _CHUNK)
        except BlockingIOError:
            return False
        self._ended = not chunk
        room = KEPT_BYTES - len(self._kept)
        self._kept += chunk[:room]
        self._dropped += max(0, len(chunk) - room)
        return bool(chunk)

    def _give(self) -> bool:
        if not self._kept or not select.select([], [self._real], [], 0)[1]:
            return False
        try:
            written = os.write(self._real, self._kept[:_SAFE_WRITE])
        except BlockingIOError:
            return False
        except OSError:
            # The reader is gone: what nobody will read is thrown away.
            written = len(self._kept)
        del self._kept[:written]
        if self._dropped and not self._kept:
            self._kept += b"\n[devloop-tools: %d bytes of stderr dropped]\n" % self._dropped
            self._dropped = 0
        return True
