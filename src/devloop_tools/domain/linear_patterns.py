"""Other people's regular expressions, matched in a time that grows with the text alone.

The engine is Rust's regex, which pydantic carries: it never goes back in the text. It reads the
patterns of ECMAScript, which are those of JSON Schema, but for look-around and backreferences.
"""

import re
import warnings
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema

MAX_WORK = 50_000_000
"""Characters of a text times states of a pattern: at most about two seconds."""

_SHOWN = 200
_WHAT_TO_DO = (
    "write it without look-ahead, look-behind, backreferences and large counts, such as {1000}"
)
_PARTS = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}|.", re.DOTALL
)


class UnusablePattern(Exception):
    """A pattern that can't be matched within bounds; the text names it and what to do."""

    def __init__(self, pattern: str, why: str) -> None:
        shown = pattern if len(pattern) <= _SHOWN else pattern[:_SHOWN] + "…"
        super().__init__(f"the pattern {shown} can't be judged: {why}; {_WHAT_TO_DO}")


def occurs_in(pattern: str, text: str) -> bool:
    """Whether `pattern` fits somewhere in `text`. Raises UnusablePattern."""
    found = _compiled(pattern)
    if isinstance(found, str):
        raise UnusablePattern(pattern, found)
    if _states(pattern) * len(text) > MAX_WORK:
        raise UnusablePattern(pattern, f"a text of {len(text)} characters is too long for it")
    return found.isinstance_python(text)


def is_pattern(text: str) -> bool:
    """Whether `text` is a regular expression, with all that ECMAScript or Python knows."""
    if not isinstance(_compiled(text), str):
        return True
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> SchemaValidator | str:
    """The pattern, or why it is none for the engine."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as exc:
        # The engine draws the place first, and says what is wrong there at the end.
        return str(exc).strip().rpartition("rror: ")[2].rstrip(".")


@lru_cache(maxsize=256)
def _states(pattern: str) -> int:
    """How many states the engine may have to follow at once: counts multiply what they count."""
    outer: list[int] = []
    total = last = 0
    for part in _PARTS.finditer(pattern):
        if part["least"]:
            last *= max(1, int(part["least"]), int(part["most"] or 0))
        elif part[0] == "(":
            outer.append(total + last)
            total = last = 0
        elif part[0] == ")" and outer:
            total, last = outer.pop(), total + last
        else:
            total, last = total + last, 1
    return sum(outer) + total + last
