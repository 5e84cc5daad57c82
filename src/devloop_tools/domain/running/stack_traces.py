"""Finds stack traces of CPython and V8 (and what looks like them) in lines, and counts them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

MAX_FRAMES = 8
_MAX_LINES = 200

_PYTHON_BEGINS = re.compile(r"^\s*(?:[|+ -]*)Traceback \(most recent call last\):$")
_PYTHON_FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?')
_V8_FRAME = re.compile(
    r"^\s+at (?:(?P<name>.+?) \()?(?P<file>[^()\s][^()]*?):(?P<line>\d+)(?::\d+)?\)?$"
)
_JAVA_FRAME = re.compile(r"^\s+at (?P<name>[\w.$<>]+)\((?P<file>[\w.$]+)(?::(?P<line>\d+))?\)$")
_ERROR = re.compile(
    r"^(?:Uncaught |Unhandled )?[\w.$]*(?:Error|Exception|Exit|Interrupt|Warning)\b"
)
_COUNTED = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Trace(BaseModel):
    """The same trace, so many times. `frames` are the innermost ones, `file:line name`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    error: str
    count: int
    first_line: int
    frames: list[str]


@dataclass(frozen=True, slots=True)
class _Found:
    error: str
    at: int
    frames: tuple[str, ...]

    @property
    def signature(self) -> tuple[str, tuple[str, ...]]:
        # The same fault may be told of other ids and addresses.
        return _COUNTED.sub("#", self.error), self.frames


def traces_in(lines: Sequence[str]) -> list[Trace]:
    """Every trace once, the most frequent first; `first_line` counts from 1."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Found]] = {}
    for found in _found(lines):
        groups.setdefault(found.signature, []).append(found)
    traces = [
        Trace(
            error=group[0].error,
            count=len(group),
            first_line=group[0].at + 1,
            frames=list(group[0].frames),
        )
        for group in groups.values()
    ]
    return sorted(traces, key=lambda trace: (-trace.count, trace.first_line))


def _found(lines: Sequence[str]) -> Iterator[_Found]:
    at = 0
    while at < len(lines):
        if _PYTHON_BEGINS.match(lines[at]):
            found, at = _python(lines, at)
            yield found
        elif _v8_frame(lines[at]) and at > 0:
            found, at = _v8(lines, at)
            yield found
        else:
            at += 1


def _python(lines: Sequence[str], start: int) -> tuple[_Found, int]:
    frames: list[str] = []
    at = start + 1
    while at < len(lines) and at - start < _MAX_LINES and lines[at].startswith((" ", "\t")):
        if match := _PYTHON_FRAME.match(lines[at]):
            frames.append(_shown(match))
        at += 1
    error = lines[at].strip() if at < len(lines) else "the trace ends here"
    return _Found(error, start, tuple(frames[-MAX_FRAMES:])), at + 1


def _v8(lines: Sequence[str], first_frame: int) -> tuple[_Found, int]:
    # The message may have several lines; the one that names the error is near.
    start = first_frame - 1
    for back in range(1, min(6, first_frame + 1)):
        if _ERROR.match(lines[first_frame - back].strip()):
            start = first_frame - back
            break
    frames: list[str] = []
    at = first_frame
    while at < len(lines) and (match := _v8_frame(lines[at])):
        frames.append(_shown(match))
        at += 1
    return _Found(lines[start].strip(), start, tuple(frames[:MAX_FRAMES])), at


def _v8_frame(line: str) -> re.Match[str] | None:
    return _JAVA_FRAME.match(line) or _V8_FRAME.match(line)


def _shown(match: re.Match[str]) -> str:
    line = f":{match['line']}" if match["line"] else ""
    name = f" {match['name']}" if match["name"] else ""
    return f"{match['file'].removeprefix('file://')}{line}{name}"
