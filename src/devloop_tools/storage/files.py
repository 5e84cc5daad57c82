"""Reads and writes one file of the project, durably and under a lock that holds across processes.

A replaced file is written beside its target, synced, renamed over it, and its folder synced: after
a crash there is the old file or the new one, whole. An appended line is one write and a sync; a
line that a crash tore is cut by the next writer.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.folders import open_file, open_folder

MAX_FILE_BYTES = 64 * 1024 * 1024
"""No file is read whole above this."""

_TAIL_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """One file below the project folder, whose lock the holder has."""

    root: Path
    names: tuple[str, ...]
    agent: str

    @property
    def path(self) -> str:
        """Relative to the project folder."""
        return "/".join(self.names)

    def read(self) -> bytes | None:
        """The whole file, or None if there is none. Raises StorageError above 64 MB."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
                return _read_all(fd, self.path)
        except FileNotFoundError:
            return None

    def tail(self, most: int) -> bytes | None:
        """At most the last `most` bytes, from the start of a line; None if there is no file."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
                size = os.fstat(fd).st_size
                start = max(0, size - most)
                content = os.pread(fd, most, start)
        except FileNotFoundError:
            return None
        return content if start == 0 else content.partition(b"\n")[2]

    def exists(self) -> bool:
        """Whether there is a regular file."""
        return self.tail(0) is not None

    def replace(self, content: bytes) -> None:
        """Put `content` in place of the file, keeping its mode; when it returns, it is on disk."""
        name = self.names[-1]
        # One fixed temporary name per target: what a killed writer left is overwritten here.
        temporary = f".{name.encode()[:200].decode(errors='ignore')}.tmp"
        with self._folder(create=True) as folder:
            mode = self._present_mode(folder)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            try:
                self._write_new(folder, temporary, content, mode)
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            os.fsync(folder)

    def create(self, content: bytes) -> bool:
        """Write a file that must not exist yet; False, and nothing done, if it does."""
        with self._folder(create=True) as folder:
            try:
                os.stat(self.names[-1], dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                pass
            else:
                return False
        self.replace(content)
        return True

    def append_line(
        self, make: Callable[[bytes], bytes], *, is_whole: Callable[[bytes], bool]
    ) -> None:
        """Add the line that `make` returns for the last line there is (b"" if none).

        An unended last line is cut as torn, unless `is_whole` says that only its LF is missing.
        When it returns, the line is on disk; when it raises, the file is as it was.
        """
        with self._folder(create=True) as folder:
            with self._opened(folder, os.O_RDWR | os.O_CREAT | os.O_APPEND) as fd:
                info = os.fstat(fd)
                if info.st_nlink > 1:
                    raise ToolSandboxError(self.path, self.agent, "it has a second hard link")
                last, end = _last_line(fd, info.st_size)
                rest = os.pread(fd, info.st_size - end, end)
                if rest and is_whole(rest):
                    line = b"\n" + make(rest)
                    end = info.st_size
                else:
                    line = make(last)
                    os.ftruncate(fd, end)
                _append(fd, end, line)
            if info.st_size == 0:
                os.fsync(folder)

    @contextlib.contextmanager
    def _folder(self, *, create: bool = False) -> Iterator[int]:
        try:
            with open_folder(self.root, self.names[:-1], agent=self.agent, create=create) as fd:
                yield fd
        except FileNotFoundError:
            raise
        except OSError as exc:
            raise StorageError(f"{self.path}: {exc.strerror}") from exc

    @contextlib.contextmanager
    def _opened(self, folder: int, flags: int) -> Iterator[int]:
        try:
            fd = open_file(folder, self.names[-1], flags)
        except OSError as exc:
            if exc.errno != errno.ELOOP:
                raise
            reason = "a link; links are not followed"
            raise ToolSandboxError(self.path, self.agent, reason) from None
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise ToolSandboxError(self.path, self.agent, "not a regular file")
            yield fd
        finally:
            os.close(fd)

    def _present_mode(self, folder: int) -> int | None:
        try:
            found = os.stat(self.names[-1], dir_fd=folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found):
            raise ToolSandboxError(self.path, self.agent, "a link or no regular file")
        return stat.S_IMODE(found)

    def _write_new(self, folder: int, name: str, content: bytes, mode: int | None) -> None:
        fd = open_file(folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            if mode is not None:
                os.fchmod(fd, mode)
            _write_all(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)


def _read_all(fd: int, path: str) -> bytes:
    size = os.fstat(fd).st_size
    if size > MAX_FILE_BYTES:
        raise StorageError(f"{path}: {size} bytes; files above {MAX_FILE_BYTES} are not read whole")
    parts: list[bytes] = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _write_all(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def _append(fd: int, end: int, line: bytes) -> None:
    try:
        _write_all(fd, line)
        # The size is metadata that fdatasync writes too (POSIX, synchronized I/O data integrity).
        getattr(os, "fdatasync", os.fsync)(fd)
    except OSError:
        os.ftruncate(fd, end)
        raise


def _last_line(fd: int, size: int) -> tuple[bytes, int]:
    """The last whole line without its LF, and the offset behind it."""
    tail = b""
    start = size
    while start > 0:
        step = min(_TAIL_BYTES, start)
        start -= step
        tail = os.pread(fd, step, start) + tail
        end = tail.rfind(b"\n")
        if end < 0:
            continue
        before = tail.rfind(b"\n", 0, end)
        if before >= 0 or start == 0:
            return tail[before + 1 : end], start + end + 1
    return b"", 0
