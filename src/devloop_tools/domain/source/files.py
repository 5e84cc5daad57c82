"""Which files of a unit are its source: not what others wrote, what was made, nor tests."""

import posixpath
import re
from dataclasses import dataclass, field

from devloop_tools.domain.source.tree import SUFFIXES
from devloop_tools.storage.workspace import Workspace

MAX_FILES = 2_000
MAX_FILE_BYTES = 256 * 1024
"""No file that somebody writes is longer; bundles are."""

MAX_LINE_BYTES = 20_000
"""Nor does it have longer lines."""

MAX_BYTES = 2 * 1024 * 1024
"""All files together."""

NOT_SOURCE = frozenset(
    "node_modules bower_components site-packages __pycache__ venv env virtualenv dist build out"
    " coverage htmlcov target tests test __tests__ __mocks__ __fixtures__ spec e2e vendor".split()
)
"""Folders whose files don't count, at any depth; hidden folders don't either."""

GENERATED = "contract"
"""The folder that contract_bridge writes."""

_TEST = re.compile(r"(?:.*[._-])?(?:test|spec)\.[a-z]+|test_.*\.py|.*_test\.py|conftest\.py")
_SETUP = re.compile(r".*\.config\.[cm]?[jt]s|.*\.min\.[cm]?js|setup\.py|gulpfile\.[cm]?js")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`path` is relative to the unit's folder."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that counts and could not be read, at all or in part (then from `line`)."""

    path: str
    why: str
    line: int | None = None


@dataclass(slots=True)
class SourceFiles:
    """The files that were read, those that couldn't be, and how many don't count."""

    files: list[SourceFile] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    left_out: int = 0


def source_files(workspace: Workspace, folder: str) -> SourceFiles:
    """The source below a unit's folder."""
    found = SourceFiles()
    listed = workspace.files_below(folder, without=NOT_SOURCE)
    environments = {
        posixpath.dirname(one.path) for one in listed if one.path.endswith("/pyvenv.cfg")
    }
    total = 0
    for one in listed:
        if not one.path.endswith(SUFFIXES):
            continue
        if not _counts(one.path) or any(one.path.startswith(f"{env}/") for env in environments):
            found.left_out += 1
        elif (fault := _too_much(one.size, len(found.files), total)) is not None:
            found.unreadable.append(Unreadable(one.path, fault))
        else:
            content = workspace.read(f"{folder}/{one.path}")
            if content is None:
                continue
            if (fault := _no_text(content)) is not None:
                found.unreadable.append(Unreadable(one.path, fault))
                continue
            total += len(content)
            found.files.append(SourceFile(one.path, content.removeprefix(b"\xef\xbb\xbf")))
    return found


def _counts(path: str) -> bool:
    name = posixpath.basename(path)
    return not (path.startswith(f"{GENERATED}/") or _TEST.fullmatch(name) or _SETUP.fullmatch(name))


def _too_much(size: int, files: int, total: int) -> str | None:
    if size > MAX_FILE_BYTES:
        return f"{size} bytes; files above {MAX_FILE_BYTES} are taken as bundles and not read"
    if files >= MAX_FILES:
        return f"the unit has more than {MAX_FILES} source files; this one was not read"
    if total + size > MAX_BYTES:
        return f"the unit's source has more than {MAX_BYTES} bytes; this file was not read"
    return None


def _no_text(content: bytes) -> str | None:
    if b"\0" in content:
        return "it holds NUL bytes: it is binary or in UTF-16; source is read as UTF-8"
    if max(map(len, content.splitlines()), default=0) > MAX_LINE_BYTES:
        return f"a line of more than {MAX_LINE_BYTES} bytes: it is taken as a bundle and not read"
    try:
        content.decode()
    except UnicodeDecodeError as exc:
        return f"not UTF-8 at byte {exc.start}; save it as UTF-8"
    return None
