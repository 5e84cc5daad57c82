"""The one verdict on a path: may this agent read or write it?

Paths are relative to the project folder, with `/`. Only names are judged here; that no link leads
out is the business of `storage.folders`, which opens what was judged.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from devloop_tools.storage.errors import ToolSandboxError

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255

DENIED_TO_WRITE = (".devloop", ".git", ".claude", ".mcp.json", ".env*", "tools.d")
"""Names that nobody writes, at any depth and in every spelling."""

DENIED_TO_READ = (".env*", ".devloop")
"""Names that no tool reads for a model, but for `READABLE_STATE`."""

READABLE_STATE = ".devloop/results/**"
"""Whole results, kept there because an answer was too long."""

_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a path is allowed, which rule said so, and why not."""

    allowed: bool
    resolved: str
    rule: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What one agent may touch below the project folder."""

    agent: str
    write_allow: tuple[str, ...] = ()

    def judge(self, path: str, operation: Operation) -> Verdict:
        """The verdict on `path`; the same for our tools, `sandbox_check` and the hook."""
        try:
            parts = split(path)
        except ValueError as exc:
            return Verdict(False, path, "path", str(exc))
        resolved = "/".join(parts)
        if operation is Operation.READ:
            return self._judge_read(parts, resolved)
        for pattern in DENIED_TO_WRITE:
            if any(_name_matches(part, pattern) for part in parts):
                return _closed(resolved, pattern, "writing")
        for pattern in self.write_allow:
            if matches(resolved, pattern):
                return Verdict(True, resolved, f"allow {pattern}")
        allowed = ", ".join(self.write_allow) or "nothing"
        return Verdict(False, resolved, "writeAllowList", f"{self.agent} may write {allowed}")

    def require(self, path: str, operation: Operation) -> tuple[str, ...]:
        """The parts of an allowed path. Raises ToolSandboxError with the rule otherwise."""
        verdict = self.judge(path, operation)
        if not verdict.allowed:
            raise ToolSandboxError(path, self.agent, verdict.reason)
        return tuple(verdict.resolved.split("/"))

    def _judge_read(self, parts: tuple[str, ...], resolved: str) -> Verdict:
        if matches(resolved, READABLE_STATE):
            return Verdict(True, resolved, f"allow {READABLE_STATE}")
        for pattern in DENIED_TO_READ:
            if any(_name_matches(part, pattern) for part in parts):
                return _closed(resolved, pattern, "reading")
        return Verdict(True, resolved, "inside the project")


def split(path: str) -> tuple[str, ...]:
    """The names in a relative path, without `.` parts. Raises ValueError saying what is wrong."""
    if fault := _fault_in(path):
        raise ValueError(fault)
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if not parts:
        raise ValueError("no file name")
    if ".." in parts:
        raise ValueError('".." is not allowed')
    for part in parts:
        if len(part.encode()) > MAX_NAME_BYTES:
            raise ValueError(f"a name longer than {MAX_NAME_BYTES} bytes: {part[:20]}…")
    return parts


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
    out: list[str] = []
    for token in re.split(r"(\*\*/|\*\*|\*|\?)", unicodedata.normalize("NFC", pattern)):
        match token:
            case "**/":
                out.append("(?:[^/]+/)*")
            case "**":
                out.append(".+")
            case "*":
                out.append("[^/]*")
            case "?":
                out.append("[^/]")
            case _:
                out.append(re.escape(token))
    return re.compile("".join(out), re.DOTALL)


def _name_matches(name: str, pattern: str) -> bool:
    return _glob(_folded(pattern)).fullmatch(_folded(name)) is not None


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    # Case-insensitive and normalising file systems would open the same file for each spelling.
    # Trailing dots and blanks are dropped by some of them.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", name).casefold())
    return folded.rstrip(". ") or folded
