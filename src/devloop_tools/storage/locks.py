"""Locks on project files that hold across threads and processes, and are bounded in time."""

import contextlib
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from devloop_tools.storage.errors import LockTimeout, StorageError
from devloop_tools.storage.folders import KeptFolder, open_file

LOCK_TIMEOUT_S = 30.0
_FIRST_WAIT_S = 0.0005
_LONGEST_WAIT_S = 0.02


class FileLocks:
    """One lock a path: flock(2) on a file of its own under `.devloop/locks`.

    A lock file is never removed: an unlinked one would let two holders in.
    """

    def __init__(self, root: Path, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._folder = KeptFolder(root, (".devloop", "locks"))
        self._timeout_s = timeout_s
        self._guard = threading.Lock()
        self._threads: dict[str, threading.Lock] = {}

    @contextlib.contextmanager
    def hold(self, path: str) -> Iterator[None]:
        """Hold the lock on `path`, alone on this machine.

        Raises LockTimeout after 30 s, StorageError where no lock file can be made.
        """
        deadline = time.monotonic() + self._timeout_s
        with self._guard:
            ours = self._threads.setdefault(path, threading.Lock())
        if not ours.acquire(timeout=self._timeout_s):
            raise self._timed_out(path)
        try:
            fd = self._open_lock(path)
            try:
                self._lock(fd, path, deadline)
                yield
            finally:
                os.close(fd)
        finally:
            ours.release()

    def _lock(self, fd: int, path: str, deadline: float) -> None:
        wait = _FIRST_WAIT_S
        while not _try_lock(fd):
            if time.monotonic() >= deadline:
                raise self._timed_out(path)
            time.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT_S)

    def _open_lock(self, path: str) -> int:
        name = hashlib.sha256(path.encode()).hexdigest()[:16] + ".lock"
        try:
            folder = self._folder.opened()
            return open_file(folder.fd, name, os.O_RDWR | os.O_CREAT)
        except OSError as exc:
            raise StorageError(f"{path}: its lock in .devloop/locks: {exc.strerror}") from exc

    def _timed_out(self, path: str) -> LockTimeout:
        return LockTimeout(
            f"{path}: another process has held its lock for {self._timeout_s:g} s.",
            "Try again; if it goes on, look for a stopped devloop-tools process.",
        )


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
