"""Places in source that one line of a text points at, by patterns that are linear in its length."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    """What a place was read from."""

    V8 = "v8"
    CPYTHON = "cpython"
    VITEST = "vitest"
    PYTEST = "pytest"
    TSC = "tsc"
    LOG = "log"
    CONTRACT = "contract"


@dataclass(frozen=True, slots=True)
class Frame:
    """A place that a text names; `quote` is the source line if the text shows it."""

    source: Source
    path: str
    line: int
    function: str | None = None
    quote: str | None = None


_NUMBER = r"(\d{1,9})"
_EXTENSION = r"\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|html?|css|json|sql|ya?ml|toml|sh)"
_AT = re.compile(r"(?:^|[\s|])at (?=\S)")
_TAIL = re.compile(rf":{_NUMBER}:{_NUMBER}\)?$")
_CPYTHON = re.compile(rf'File "([^"]+)", line {_NUMBER}(?:, in (.+))?')
_PYTEST = re.compile(rf"^(\S+\.pyi?):{_NUMBER}: (?=\S)")
_TSC = re.compile(rf"{_EXTENSION}(?:\({_NUMBER},\d+\)|:{_NUMBER}:\d+)(?::| -) error TS\d")
_PLAIN = re.compile(
    rf"{_EXTENSION}(?::{_NUMBER}(?::\d+)?(?!\w)|[\"'`]?,? (?:(?:on|at|in) )?line {_NUMBER}"
    rf"|[\"'`]?\s?(?:的)?\s?第\s?{_NUMBER}\s?行)"
)
_EXTENSION_ALONE = re.compile(_EXTENSION)
_IN_PATH = frozenset("@.~+$-_/\\[]")
_LONGEST_PATH = 1000


def python_frame(text: str) -> tuple[Frame, str] | None:
    """The place of a traceback's line, and what stands before it."""
    found = _CPYTHON.search(text)
    if not found:
        return None
    function = found[3].strip() if found[3] else None
    frame = Frame(Source.CPYTHON, found[1], int(found[2]), function)
    return frame, text[: found.start()].rstrip()


def place_in(text: str) -> Frame | None:
    """The place that the line names, but for those of Python tracebacks."""
    text = text.rstrip()
    if tail := _TAIL.search(text):
        if "❯ " in text:
            body = text[text.index("❯ ") + 2 : tail.start()]
            function, _, path = body.rpartition(" ")
            return Frame(Source.VITEST, path, int(tail[1]), function or None)
        if (at := _AT.search(text)) and at.end() < tail.start():
            return _v8(text[at.end() : tail.start()], int(tail[1]))
    if found := _TSC.search(text):
        return Frame(Source.TSC, _path_to(text, found), int(found[1] or found[2]))
    if found := _PYTEST.match(text):
        return Frame(Source.PYTEST, found[1], int(found[2]))
    if found := _PLAIN.search(text):
        line = next(int(group) for group in found.groups() if group)
        return Frame(Source.LOG, _path_to(text, found), line)
    return None


def _v8(body: str, line: int) -> Frame:
    body = body.removeprefix("async ").removeprefix("new ")
    function, separator, path = body.partition(" (")
    if not separator:
        return Frame(Source.V8, body.removeprefix("("), line)
    return Frame(Source.V8, path, line, function)


def _path_to(text: str, extension: re.Match[str]) -> str:
    """The path whose end is the extension that was found."""
    start = extension.start()
    least = max(0, start - _LONGEST_PATH)
    while start > least and (text[start - 1] in _IN_PATH or text[start - 1].isalnum()):
        start -= 1
    name = _EXTENSION_ALONE.match(text, extension.start())
    assert name is not None
    return text[start : name.end()]
