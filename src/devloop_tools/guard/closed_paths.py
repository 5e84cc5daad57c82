"""Paths that no command may name: the server's own folder, its database, its configuration."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from devloop_tools.guard.values import COMMA, HOLE, bare, glob_of, plain

STATE = ".devloop"
DATABASE = "state.db"
MAX_PIECES = 100

_PARTS = re.compile(f"[=:@,{COMMA}]")
_IN_TEXT = re.compile(
    r"(?<![\w.)\]])\.devloop(?=[/\"'\s,;:)\]}\\]|$)|\.config/devloop-tools"
    r"|devloop_tools\.(?:cli|app|approvals|upstream)|run_(?:module|path)\W{1,5}devloop_tools"
)
_LETTERS = re.compile(r"[a-z]", re.IGNORECASE)


class Surroundings(NamedTuple):
    """Where a command runs, and which folders are closed beside those of every project."""

    folders: Sequence[str] = ()
    """Absolute."""
    cwd: str = ""
    home: str = ""


def named_in(text: str, folder: str, around: Surroundings, *, reads: bool) -> str | None:
    """What a word names that is closed, or None.

    Args:
        text: The word, with its marks.
        folder: Where the command runs, below `around.cwd`.
        reads: Whether the command is known to read only: results of calls are open to it.
    """
    for piece in _pieces(text):
        path = _path(piece, folder, around)
        if _names_state(path, reads=reads):
            return f"{STATE}/"
        if _names_database(piece):
            return DATABASE
        if any(
            _lies_below(path, closed) for closed in (*around.folders, "*/.config/devloop-tools")
        ):
            return "the configuration folder"
    return None


def named_in_code(text: str, around: Surroundings) -> str | None:
    """The same of a program's text: `python -c`, a script for `node`."""
    known = plain(text).replace(HOLE, "")
    if _IN_TEXT.search(known) or any(folder and folder in known for folder in around.folders):
        return f"{STATE}/ or the configuration folder"
    return None


def pattern_names_state(pattern: str) -> bool:
    """Whether a pattern of `find` is about the server's folder or its database."""
    parts = bare(pattern).lower().split("/")
    # A pattern of few letters means many things: `*.db`, `*loop*`.
    names = [p for p in parts if len(_LETTERS.findall(p)) > 4 or p.startswith(".devl")]
    return any(fnmatchcase(known, name) for name in names for known in (STATE, DATABASE))


def _pieces(text: str) -> Sequence[str]:
    """The word, and what stands behind `--file=`, `@` or `host:` in it."""
    found = [piece for piece in _PARTS.split(text) if piece]
    return [text, *(piece for piece in found[:MAX_PIECES] if piece != text)]


def _path(piece: str, folder: str, around: Surroundings) -> Sequence[str]:
    """The names on the way, from the root where that is known."""
    text = piece
    if text.startswith("~/") or text == "~":
        text = around.home + text[1:] if around.home else text
    elif not text.startswith(("/", HOLE)):
        inside = folder if folder.startswith(("/", HOLE)) else f"{around.cwd}/{folder}"
        if folder.startswith("~") and around.home:
            inside = around.home + folder[1:]
        text = f"{inside}/{text}"
    names: list[str] = []
    for name in text.split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return names


def _names_state(path: Sequence[str], *, reads: bool) -> bool:
    for number, name in enumerate(path):
        if not _may_be(name, STATE):
            continue
        rest = [bare(part) for part in path[number + 1 :]]
        if glob_of(name) is not None and not _LETTERS.search(plain(name)):
            # `.*` alone is an idiom; with something behind it, it reaches inside.
            return bool(rest) or not reads
        return not (reads and rest[:1] == ["results"] and ".." not in rest)
    return False


def _may_be(name: str, known: str) -> bool:
    """Whether a name, which may be a pattern, is `known`; a pattern needs the dot written out."""
    pattern = glob_of(name)
    text = bare(name).lower()
    if pattern is None:
        return text == known
    if known.startswith(".") and text[:1] not in (".", "["):
        return False
    return fnmatchcase(known, pattern.lower())


def _names_database(piece: str) -> bool:
    """`*/state.db`, `$dir/state.db`: the database of a folder that isn't known."""
    before, slash, name = piece.rpartition("/")
    known = bare(name).lower().removesuffix("-wal").removesuffix("-shm")
    unknown = HOLE in before or glob_of(before) is not None
    return bool(slash) and unknown and known == DATABASE


def _lies_below(path: Sequence[str], closed: str) -> bool:
    names = [part for part in closed.split("/") if part]
    if names[:1] == ["*"]:
        pairs = pairwise(path)
        return any(all(map(_may_be, pair, names[1:])) for pair in pairs)
    return len(path) >= len(names) > 0 and all(map(_may_be_quietly, path, names))


def _may_be_quietly(name: str, known: str) -> bool:
    pattern = glob_of(name)
    if pattern is None:
        return bare(name) == known
    return bool(_LETTERS.search(plain(name))) and fnmatchcase(known, pattern)
