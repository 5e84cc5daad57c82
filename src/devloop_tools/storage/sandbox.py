"""The one verdict on a path: may this agent read or write it?

Paths are relative to the project folder, with `/`. Only names are judged here; that no link leads
out is the business of `storage.folders`, which opens what was judged.
"""

import re
import unicodedata
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path

from devloop_tools.frozen import changed, frozen
from devloop_tools.storage.errors import ToolSandboxError

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255

DENIED_TO_WRITE = (".devloop", ".git", ".claude", ".mcp.json", ".env*", "tools.d")
"""Names that nobody writes, at any depth and in every spelling."""

DENIED_TO_READ = (".env*", ".devloop")
"""Names that no tool reads for a model, but for `READABLE_STATE`."""

READABLE_STATE = ".devloop/results/**"
"""Whole results, kept there because an answer was too long."""

_MOST_JUDGED = 1000

_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_SHORT_GIT = re.compile(r"git~[0-9]")
_RESERVED = re.compile(r"(?i:con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?|.*[. ]", re.DOTALL)


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"


@frozen
class Verdict:
    """Whether a path is allowed, which rule said so, and why not."""

    allowed: bool
    resolved: str
    rule: str
    reason: str = ""
    root: Path | None = None
    """The folder that `resolved` lies below; None is the project folder."""


class Environment(tuple[tuple[str, str | None], ...]):
    """Names of environment variables with their values, which are never shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Environment({', '.join(name for name, _ in self)})"


@frozen
class Sandbox:
    """What one agent may touch: patterns below the project folder, and folders beside it to read.

    A deny pattern without `/` closes a name at any depth, one with `/` closes paths.
    """

    agent: str
    write_allow: tuple[str, ...] = ()
    write_deny: tuple[str, ...] = ()
    read_allow: tuple[Path, ...] = ()
    configuration: tuple[Path, ...] = ()
    """Folders that say what agents may do; no command of a shell may name them."""
    env: "Environment" = Environment()
    """Environment variables that placeholders and units may see; None where one isn't set."""

    def judge(self, path: str, operation: Operation) -> Verdict:
        """The verdict on `path`; the same for our tools, `sandbox_check` and the hook."""
        known = self._judged.get((path, operation))
        if known is None:
            known = self._judge(path, operation)
            if known.allowed and len(self._judged) < _MOST_JUDGED:
                self._judged[path, operation] = known
        return known

    def _judge(self, path: str, operation: Operation) -> Verdict:
        if operation is Operation.READ and path.startswith("/"):
            return self._judge_outside(path)
        try:
            parts = split(path)
        except ValueError as exc:
            return Verdict(False, path, "path", str(exc))
        if operation is Operation.READ:
            return _judge_read(parts)
        return self._judge_write(parts)

    @cached_property
    def _judged(self) -> dict[tuple[str, Operation], Verdict]:
        """What is allowed, which only names decide: a few files are asked for again and again."""
        return {}

    def require(self, path: str, operation: Operation) -> tuple[Path | None, tuple[str, ...]]:
        """The folder (None: the project) and the names below it that an allowed path means.

        Raises ToolSandboxError with the rule otherwise.
        """
        verdict = self.judge(path, operation)
        if not verdict.allowed:
            raise ToolSandboxError(path, self.agent, verdict.reason)
        return verdict.root, tuple(verdict.resolved.split("/"))

    def _judge_write(self, parts: tuple[str, ...]) -> Verdict:
        resolved = "/".join(parts)
        if reserved := next(filter(is_reserved, parts), None):
            reason = f"{reserved} is a name that Windows reserves; a checkout there would fail"
            return Verdict(False, resolved, "reserved name", reason)
        if pattern := _closing((*DENIED_TO_WRITE, *self.write_deny), parts):
            return _closed(resolved, pattern, "writing")
        composed = unicodedata.normalize("NFC", resolved)
        for pattern in self.write_allow:
            if matches(composed, pattern):
                return Verdict(True, resolved, f"allow {pattern}")
        allowed = ", ".join(self.write_allow) or "nothing"
        return Verdict(False, resolved, "writeAllowList", f"{self.agent} may write {allowed}")

    def _judge_outside(self, path: str) -> Verdict:
        for folder in self.read_allow:
            below = path.removeprefix(f"{folder}/")
            if below == path:
                continue
            try:
                verdict = _judge_read(split(below))
            except ValueError as exc:
                return Verdict(False, path, "path", str(exc))
            return changed(verdict, rule=f"{verdict.rule}: {folder}", root=folder)
        reason = "an absolute path; paths are relative to the project folder"
        return Verdict(False, path, "readAllowList", reason)


def _judge_read(parts: tuple[str, ...]) -> Verdict:
    resolved = "/".join(parts)
    if matches(resolved, READABLE_STATE):
        return Verdict(True, resolved, f"allow {READABLE_STATE}")
    if pattern := _closing(DENIED_TO_READ, parts):
        return _closed(resolved, pattern, "reading")
    return Verdict(True, resolved, "inside")


def _closing(patterns: tuple[str, ...], parts: tuple[str, ...]) -> str | None:
    """The first pattern that closes the path."""
    found = {pattern for part in parts for pattern in _closing_names(patterns, part)}
    for pattern in patterns:
        if pattern in found or ("/" in pattern and means(pattern, parts)):
            return pattern
    return None


@lru_cache(maxsize=4096)
def _closing_names(patterns: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Those that close a name wherever it stands. Most folders are asked about again and again."""
    folded = _folded(name)
    if not _names(patterns).fullmatch(folded):
        return ()
    return tuple(p for p in patterns if "/" not in p and _glob(_folded(p)).fullmatch(folded))


@lru_cache(maxsize=512)
def _names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """All that close names, as one: few names are closed."""
    globs = (_glob(_folded(pattern)).pattern for pattern in patterns if "/" not in pattern)
    return re.compile("|".join(f"(?:{glob})" for glob in globs) or "(?!)", re.DOTALL)


def means(pattern: str, parts: tuple[str, ...]) -> bool:
    """Whether a pattern from the project folder on covers this path, in whatever spelling."""
    return matches("/".join(map(_folded, parts)), "/".join(map(_folded, pattern.split("/"))))


def closed_to_globs(pattern: str) -> str | None:
    """Which of the names that are closed to reading a glob asks for, by itself or by a wildcard
    behind a dot; None if none."""
    folded = _folded(pattern)
    dotted = [name for name in re.split(r"[/,{}]", folded) if name.startswith(".")]
    for closed in DENIED_TO_READ:
        name = closed.rstrip("*")
        if name in folded or any(fnmatchcase(name, each) for each in dotted):
            return closed
    return None


def is_reserved(name: str) -> bool:
    """Whether a checkout on Windows can't have a file of this name."""
    return _RESERVED.fullmatch(name) is not None


def split(path: str) -> tuple[str, ...]:
    """The names in a relative path, `.` and `..` resolved by name alone, since no link is followed.

    Raises ValueError that says what is wrong.
    """
    if fault := _fault_in(path):
        raise ValueError(fault)
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise ValueError("it leads out of the project folder")
            parts.pop()
        elif len(part.encode()) > MAX_NAME_BYTES:
            raise ValueError(f"a name longer than {MAX_NAME_BYTES} bytes: {part[:20]}…")
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise ValueError("no file name")
    return tuple(parts)


def _fault_in(path: str) -> str | None:
    if not path:
        return "an empty path"
    if path.startswith("/"):
        return "an absolute path; paths are relative to the project folder"
    if "\\" in path:
        return "a backslash; names are separated by /"
    if _UNWRITABLE.search(path):
        return "a control character or a lone surrogate"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"longer than {MAX_PATH_BYTES} bytes"
    return None


def _closed(resolved: str, pattern: str, operation: str) -> Verdict:
    return Verdict(False, resolved, f"deny {pattern}", f"{pattern} is closed to {operation}")


def matches(path: str, pattern: str) -> bool:
    """Whether a glob covers the whole path: `*` and `?` stay inside a name, `**` crosses `/`."""
    return _glob(pattern).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    *folders, last = unicodedata.normalize("NFC", pattern).split("/")
    parts = [""]
    for folder in folders:
        if folder == "**":
            parts.append("")
        else:
            parts[-1] += _name(folder) + "/"
    # As of the stars in a name: what lies between two ** takes the first fit and keeps it.
    out = [parts[0], *(f"(?>(?:[^/]+/)*?{part})" for part in parts[1:-1])]
    out += [f"(?:[^/]+/)*{part}" for part in parts[1:][-1:]]
    out.append(".+" if last == "**" else _name(last))
    return re.compile("".join(out), re.DOTALL)


def _name(pattern: str) -> str:
    """What matches one name. All stars but the last take the first fit, so that none goes back."""
    first, *rest = [re.escape(part).replace(r"\?", "[^/]") for part in re.split(r"\*+", pattern)]
    inner = "".join(f"(?>[^/]*?{part})" for part in rest[:-1])
    return first + inner + (f"[^/]*{rest[-1]}" if rest else "")


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    # Some file systems open one file for several spellings: they ignore case, Unicode form,
    # invisible characters, trailing dots and blanks, stream names, or know a short name.
    folded = name.lower() if name.isascii() else _folded_unicode(name)
    folded = folded.partition(":")[0].rstrip(". ") or folded
    return ".git" if _SHORT_GIT.fullmatch(folded) else folded


def _folded_unicode(name: str) -> str:
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", visible).casefold())
    # Compatibility forms of capitals turn into capitals only there.
    return folded.casefold()
