"""Reads and writes one file of the project, durably and under a lock that holds across processes.

A replaced file is written beside its target, synced, renamed over it, and its folder synced: after
a crash there is the old file or the new one, whole. An appended line is one write and a sync; a
line that a crash tore is cut by the next writer.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from devloop_tools.frozen import frozen
from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.folders import folder_descriptor, open_file

MAX_FILE_BYTES = 64 * 1024 * 1024
"""No file is read whole above this."""

MAX_LINE_BYTES = 1024 * 1024
"""A longer line of an append-only file is none that a store wrote."""

_TAIL_BYTES = 64 * 1024
_LONGEST_STEM = 200


@frozen
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

    def size(self) -> int | None:
        """The number of bytes, or None if there is no file."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
                return os.fstat(fd).st_size
        except FileNotFoundError:
            return None

    def pieces(self, size: int = 1 << 20) -> Iterator[bytes]:
        """The bytes of a file of any size, in pieces of at most `size`; none if it isn't there."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
                while piece := os.read(fd, size):
                    yield piece
        except FileNotFoundError:
            return

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

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file as a stream of bytes from its start. Raises FileNotFoundError."""
        with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
            with open(os.dup(fd), "rb") as stream:
                yield stream

    def end(self, most: int, after: int = 0) -> bytes | None:
        """At most the last `most` bytes, none before `after`; None if there is no file."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDONLY) as fd:
                start = max(after, os.fstat(fd).st_size - most)
                return os.pread(fd, most, start)
        except FileNotFoundError:
            return None

    def exists(self) -> bool:
        """Whether there is a regular file."""
        return self.tail(0) is not None

    def replace(self, content: bytes, *, keep: Iterable["ProjectFile"] | None = None) -> None:
        """Put `content` in place of the file, keeping its mode; when it returns, it is on disk.

        With `keep`, what the file held is on disk under the first of these names that is free,
        before it is replaced.
        """
        name = self.names[-1]
        temporary = _temporary_name(name)
        with self._folder(create=True) as folder:
            mode = self._present_mode(folder)
            with self._kept(folder, keep) if keep else contextlib.nullcontext(_sync) as sync_kept:
                try:
                    self._write_new(folder, temporary, content, mode)
                    sync_kept()
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                except BaseException:
                    _remove(folder, temporary)
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
        self, make: Callable[[bytes], bytes], *, is_entry: Callable[[bytes], bool]
    ) -> None:
        """Add the line that `make` returns for the last entry there is (b"" if none).

        `is_entry` tells the store's own lines from what else got in; other whole lines stay where
        they are and don't count. An unended last line is cut as torn, unless it is an entry that
        lacks nothing but its LF. When this returns, the line is on disk; when it raises, every
        whole line is as it was.
        """
        with self._folder(create=True) as folder:
            with self._opened(folder, os.O_RDWR | os.O_CREAT | os.O_APPEND) as fd:
                info = os.fstat(fd)
                if info.st_nlink > 1:
                    raise ToolSandboxError(self.path, self.agent, "it has a second hard link")
                end = _end_of_lines(fd, info.st_size)
                rest = info.st_size - end
                torn = os.pread(fd, rest, end) if rest <= MAX_LINE_BYTES else b""
                if torn and is_entry(torn):
                    line = b"\n" + make(torn)
                    end = info.st_size
                else:
                    lines = _lines_backwards(fd, end)
                    line = make(next((entry for entry in lines if is_entry(entry)), b""))
                    if rest:
                        os.ftruncate(fd, end)
                _append(fd, end, line)
            if info.st_size == 0:
                os.fsync(folder)

    @contextlib.contextmanager
    def _kept(self, folder: int, keep: Iterable["ProjectFile"]) -> Iterator[Callable[[], None]]:
        """What the file holds has another name in the block; the caller's sync makes it last.

        If the block raises, the other name is gone again.
        """
        with contextlib.ExitStack() as opened:
            try:
                fd = opened.enter_context(self._opened(folder, os.O_RDONLY))
            except FileNotFoundError:
                yield _sync
                return
            for other in keep:
                target = opened.enter_context(other._folder(create=True))
                if self._named_too(fd, folder, other, target):
                    break
            else:
                raise StorageError(f"{self.path}: no name is free to keep what it holds")
            try:
                yield partial(_sync, target, fd)
            except OSError as exc:
                _remove(target, other.names[-1])
                # What failed is this file, not the one that it is kept as.
                raise self.described(exc) from exc
            except BaseException:
                _remove(target, other.names[-1])
                raise

    def _named_too(self, fd: int, folder: int, other: "ProjectFile", target: int) -> bool:
        """Give what is open as `fd` a second name, or copy it where that can't be done.

        False, and nothing done, if the name is taken.
        """
        name = other.names[-1]
        if os.fstat(fd).st_nlink > 1:
            # Somebody writes to it under a name of their own.
            return other.create(_read_all(fd, self.path))
        try:
            os.link(
                self.names[-1], name, src_dir_fd=folder, dst_dir_fd=target, follow_symlinks=False
            )
        except FileExistsError:
            return False
        except OSError:
            return other.create(_read_all(fd, self.path))
        if os.path.samestat(os.fstat(fd), os.stat(name, dir_fd=target, follow_symlinks=False)):
            return True
        _remove(target, name)
        raise ToolSandboxError(self.path, self.agent, "it was swapped while it was kept")

    def _folder(self, *, create: bool = False) -> "_Folder":
        return _Folder(self, create)

    def described(self, exc: OSError) -> StorageError:
        """What the system said of the file, with its path."""
        return StorageError(f"{self.path}: {exc.strerror}")

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
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            fd = open_file(folder, name, flags)
        except FileExistsError:
            # A writer that was killed left it, and its lock is ours now.
            _remove(folder, name)
            fd = open_file(folder, name, flags)
        try:
            if mode is not None:
                os.fchmod(fd, mode)
            _write_all(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)


class _Folder:
    """The open folder of a file, as a block: an OSError in it is told with the file's path."""

    def __init__(self, file: ProjectFile, create: bool) -> None:
        self._file = file
        self._create = create
        self._fd = -1

    def __enter__(self) -> int:
        file = self._file
        try:
            self._fd = folder_descriptor(
                file.root, file.names[:-1], agent=file.agent, create=self._create
            )
        except OSError as exc:
            self._tell(exc)
            raise
        return self._fd

    def __exit__(self, _kind: object, exc: BaseException | None, _trace: object) -> None:
        os.close(self._fd)
        if isinstance(exc, OSError):
            self._tell(exc)

    def _tell(self, exc: OSError) -> None:
        if self._create or not isinstance(exc, FileNotFoundError):
            raise self._file.described(exc) from exc


def _remove(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _sync(*descriptors: int) -> None:
    for fd in descriptors:
        os.fsync(fd)


def _read_all(fd: int, path: str) -> bytes:
    size = os.fstat(fd).st_size
    if size > MAX_FILE_BYTES:
        raise StorageError(f"{path}: {size} bytes; files above {MAX_FILE_BYTES} are not read whole")
    os.lseek(fd, 0, os.SEEK_SET)
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


def _end_of_lines(fd: int, size: int) -> int:
    """The offset behind the last LF, 0 if there is none."""
    end = size
    while end > 0:
        start = max(0, end - _TAIL_BYTES)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _lines_backwards(fd: int, end: int) -> Iterator[bytes]:
    """The lines before `end`, which is behind a LF, the last one first; too long ones as b""."""
    line, too_long, end = b"", False, end - 1
    while end > 0:
        start = max(0, end - _TAIL_BYTES)
        first, *others = os.pread(fd, end - start, start).split(b"\n")
        end = start
        for part in reversed(others):
            yield b"" if too_long else part + line
            line, too_long = b"", False
        too_long = too_long or len(first) + len(line) > MAX_LINE_BYTES
        line = b"" if too_long else first + line
    yield line


def _temporary_name(name: str) -> str:
    """One fixed name a target, so that what a killed writer left is overwritten."""
    encoded = name.encode()
    if len(encoded) > _LONGEST_STEM:
        digest = hashlib.sha256(encoded).hexdigest()[:8]
        name = encoded[:_LONGEST_STEM].decode(errors="ignore") + "-" + digest
    return f".{name}.devloop-tmp"
