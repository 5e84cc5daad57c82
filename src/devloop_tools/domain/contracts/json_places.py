"""Where a value stands in the source of a JSON document."""

import json
import re
from collections.abc import Sequence

Step = str | int
_BLANKS = re.compile(r"[ \t\r\n]*")
_VALUES = json.JSONDecoder()


def offset_of(source: str, steps: Sequence[Step]) -> int:
    """The offset of the value that `steps` (keys and places in lists) lead to from the root.

    Where a step leads nowhere, that of the last value on the way. `source` must be JSON.
    """
    at = _next(source, 0)
    for step in steps:
        inner = _member(source, at, step) if source[at : at + 1] == "{" else _item(source, at, step)
        if inner is None:
            return at
        at = inner
    return at


def _member(source: str, at: int, wanted: Step) -> int | None:
    """The value of the last member of that name, as readers of JSON take it."""
    found = None
    at = _next(source, at + 1)
    while source[at] == '"':
        name, at = _VALUES.raw_decode(source, at)
        at = _next(source, _next(source, at) + 1)
        if name == wanted:
            found = at
        at = _after(source, at)
    return found


def _item(source: str, at: int, wanted: Step) -> int | None:
    if source[at : at + 1] != "[" or not isinstance(wanted, int):
        return None
    at = _next(source, at + 1)
    for _ in range(wanted):
        if source[at] == "]":
            return None
        at = _after(source, at)
    return at if source[at] != "]" else None


def _after(source: str, at: int) -> int:
    """Behind the value at `at`, and behind the comma that follows it."""
    _, at = _VALUES.raw_decode(source, at)
    at = _next(source, at)
    return _next(source, at + 1) if source[at] == "," else at


def _next(source: str, at: int) -> int:
    found = _BLANKS.match(source, at)
    return found.end() if found else at
