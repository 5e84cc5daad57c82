"""Opens folders below the project by descriptors, one name at a time, following no link.

A link swapped in between check and use gains nothing: what was opened is what is used.
"""

import contextlib
import errno
import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

from devloop_tools.storage.errors import StorageError, ToolSandboxError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_FOLLOW = os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def open_folder(
    root: Path, names: Sequence[str], *, agent: str, create: bool = False
) -> Iterator[int]:
    """As `folder_descriptor`, closed when the block ends."""
    fd = folder_descriptor(root, names, agent=agent, create=create)
    try:
        yield fd
    finally:
        os.close(fd)


def folder_descriptor(root: Path, names: Sequence[str], *, agent: str, create: bool = False) -> int:
    """The descriptor of the folder `names` below `root`, for the caller to close.

    With `create`, missing folders are made and synced. Raises FileNotFoundError where one is
    missing, ToolSandboxError where a name is a link or a file.
    """
    fd = _open_root(root)
    for depth in range(len(names)):
        try:
            below = _enter(fd, names[: depth + 1], agent, create)
        finally:
            os.close(fd)
        fd = below
    return fd


class KeptFolder:
    """A folder below the project that stays open, as long as it is the one that stands there."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        self._root = root
        self._names = names
        self._path = os.path.join(root, *names)
        self._open: Descriptor | None = None

    def opened(self) -> "Descriptor":
        """It, open; a missing folder is made. Safe from several threads."""
        kept = self._open
        if kept is None or not kept.is_at(self._path):
            fd = folder_descriptor(self._root, self._names, agent="", create=True)
            kept = self._open = Descriptor(fd)
        return kept


class Descriptor:
    """`fd` is closed when nobody holds this any more."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._what = os.fstat(fd)
        weakref.finalize(self, os.close, fd)

    def is_at(self, path: str) -> bool:
        """Whether what is open stands at `path` now."""
        try:
            return os.path.samestat(self._what, os.stat(path, follow_symlinks=False))
        except OSError:
            return False


def open_file(folder: int, name: str, flags: int, mode: int = 0o666) -> int:
    """The descriptor of `name`, which is no link: for one, OSError with ELOOP is raised."""
    return os.open(name, flags | _NO_FOLLOW | os.O_NONBLOCK, mode, dir_fd=folder)


def _open_root(root: Path) -> int:
    try:
        return os.open(root, _FOLDER)
    except OSError as exc:
        raise StorageError(f"the project folder can't be opened: {exc.strerror}") from exc


def _enter(parent: int, names: Sequence[str], agent: str, create: bool) -> int:
    name = names[-1]
    try:
        return os.open(name, _FOLDER | _NO_FOLLOW, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as exc:
        if exc.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        reason = "a link or a file where a folder is needed; links are not followed"
        raise ToolSandboxError("/".join(names), agent, reason) from None
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
        os.fsync(parent)
    return _enter(parent, names, agent, create=False)
