"""Keeps fd 2 from blocking anybody, although nobody may read it.

fd 2 becomes a pipe of our own that a thread empties at once; the thread passes on to the real
stderr what that takes without blocking, keeps some, and drops and counts the rest.
"""

import os
import select
import threading
import time

_KEPT_BYTES = 256 * 1024
_CHUNK = 1 << 16
_SAFE_WRITE = 4096
"""What a descriptor that polls as writable takes without blocking."""

_RETRY_S = 0.05


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
        self._lock = threading.Lock()

    def start(self) -> None:
        """Pump in a daemon thread until the process ends."""
        threading.Thread(target=self._run, name="stderr", daemon=True).start()

    def drain(self, within_s: float = 0.01) -> None:
        """Pass on what is there, as far as the real stderr takes it; called before the end."""
        deadline = time.monotonic() + within_s
        while self._step(0) and time.monotonic() < deadline:
            pass

    def _run(self) -> None:
        while True:
            waiting = bool(self._kept)
            select.select([self._read_fd], [], [], _RETRY_S if waiting else None)
            self._step(_RETRY_S if waiting else 0)

    def _step(self, patience_s: float) -> bool:
        """Move one portion; False when there is nothing left that can be moved."""
        with self._lock:
            took = self._take()
            gave = self._give(patience_s)
            return took or gave

    def _take(self) -> bool:
        try:
            chunk = os.read(self._read_fd, _CHUNK)
        except BlockingIOError:
            return False
        room = _KEPT_BYTES - len(self._kept)
        self._kept += chunk[:room]
        self._dropped += max(0, len(chunk) - room)
        return bool(chunk)

    def _give(self, patience_s: float) -> bool:
        if not self._kept or not select.select([], [self._real], [], patience_s)[1]:
            return False
        try:
            written = os.write(self._real, self._kept[:_SAFE_WRITE])
        except OSError:
            # The reader is gone: what nobody will read is thrown away.
            written = len(self._kept)
        del self._kept[:written]
        if self._dropped and not self._kept:
            self._kept += b"\n[devloop-tools: %d bytes of stderr dropped]\n" % self._dropped
            self._dropped = 0
        return True
