"""A secret per project, in the user's state folder.

The project's servers share it, and nobody else reads it.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from devloop_tools.storage.errors import StorageError

KEY_BYTES = 32


def project_key(folder: Path, root: Path) -> bytes:
    """The key of the project at `root`, kept in `folder` with mode 0600 and made when missing.

    Raises StorageError where it can't be kept, or where others can read it.
    """
    file = folder / f"{hashlib.sha256(str(root).encode()).hexdigest()[:32]}.key"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _read(file) or _made(file)
    except OSError as exc:
        raise StorageError(f"the project's key can't be kept in {folder}: {exc.strerror}") from exc


def _made(file: Path) -> bytes:
    fd, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=file.parent)
    try:
        try:
            os.write(fd, os.urandom(KEY_BYTES))
            os.fsync(fd)
        finally:
            os.close(fd)
        # Of several that make one at once, the first to link its own wins.
        with contextlib.suppress(FileExistsError):
            os.link(temporary, file)
    finally:
        os.unlink(temporary)
    made = _read(file)
    if made is None:
        raise StorageError(f"{file}: the project's key is gone again")
    return made


def _read(file: Path) -> bytes | None:
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise StorageError(f"{file}: the project's key is no file; remove it")
        if info.st_mode & 0o077 or info.st_uid != os.getuid():
            raise StorageError(f"{file}: others can read the project's key; remove it")
        key = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    if len(key) != KEY_BYTES:
        raise StorageError(f"{file}: the project's key is damaged; remove it")
    return key
