"""How a value that came differs from the one that was expected, where that says something."""

import re
from enum import StrEnum

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_ITEM = re.compile(r"[^\s,\[\]{}()]+")
_NOTHING = frozenset(("undefined", "null", "None", "NaN", "nan", ""))


class Difference(StrEnum):
    NOTHING = "nothing"
    OFF_BY_ONE = "off_by_one"
    SIGN = "sign"
    SCALE = "scale"
    INVERTED = "inverted"
    ORDER = "order"
    CASE = "case"
    SPACE = "space"
    TYPE = "type"
    NOT_RAISED = "not_raised"
    OTHER = "other"


def difference(expected: str | None, actual: str | None) -> Difference | None:
    """The sort of difference; None where a value isn't known."""
    if expected is None or actual is None:
        return None
    one, other = expected.strip(), actual.strip()
    if one == other:
        return None  # the report leaves out where they differ
    if other == "nothing was raised":
        return Difference.NOT_RAISED
    if other in _NOTHING and one not in _NOTHING:
        return Difference.NOTHING
    if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
        return _numbers(float(one), float(other))
    if {one.lower(), other.lower()} == {"true", "false"}:
        return Difference.INVERTED
    return _texts(one, other)


def _numbers(expected: float, actual: float) -> Difference:
    if abs(expected - actual) == 1:
        return Difference.OFF_BY_ONE
    if expected == -actual:
        return Difference.SIGN
    if expected and actual and expected / actual in (10, 100, 1000, 0.1, 0.01, 0.001):
        return Difference.SCALE
    return Difference.OTHER


def _texts(expected: str, actual: str) -> Difference:
    if "".join(expected.split()) == "".join(actual.split()):
        return Difference.SPACE
    if expected.strip("'\"") == actual.strip("'\""):
        return Difference.TYPE
    if expected.lower() == actual.lower():
        return Difference.CASE
    if sorted(_ITEM.findall(expected)) == sorted(_ITEM.findall(actual)):
        return Difference.ORDER
    return Difference.OTHER
