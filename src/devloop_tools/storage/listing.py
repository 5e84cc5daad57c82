"""Lists the files below a folder of the project, following no link."""

import os
import stat
from collections.abc import Container, Iterator
from pathlib import Path

from devloop_tools.frozen import frozen
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.folders import open_folder

MAX_LISTED = 50_000
MAX_LEVELS = 16


@frozen
class Listed:
    """A regular file; `path` is relative to the listed folder. The stamp changes with the file."""

    path: str
    size: int
    stamp: str


def files_below(
    root: Path, names: tuple[str, ...], agent: str, *, without: Container[str] | None = None
) -> list[Listed]:
    """Every regular file below the folder, by path; empty if there is none.

    With `without`, folders of those names and hidden ones are not entered.
    Raises StorageError where there are more than 50,000.
    """
    try:
        with open_folder(root, names, agent=agent) as folder:
            found: list[Listed] = []
            for listed in _below(folder, "", MAX_LEVELS, without):
                found.append(listed)
                if len(found) > MAX_LISTED:
                    raise StorageError(f"{'/'.join(names)}: more than {MAX_LISTED} files")
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda listed: listed.path)


def _below(
    folder: int, prefix: str, levels: int, without: Container[str] | None
) -> Iterator[Listed]:
    with os.scandir(folder) as entries:
        present = list(entries)
    for entry in present:
        info = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(info.st_mode):
            stamp = f"{info.st_mtime_ns}-{info.st_ctime_ns}-{info.st_ino}"
            yield Listed(prefix + entry.name, info.st_size, stamp)
        elif without is not None and (entry.name in without or entry.name.startswith(".")):
            continue
        elif stat.S_ISDIR(info.st_mode) and levels:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
            below = os.open(entry.name, flags, dir_fd=folder)
            try:
                yield from _below(below, f"{prefix}{entry.name}/", levels - 1, without)
            finally:
                os.close(below)
