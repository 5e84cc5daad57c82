"""Whatever a tool returned, as JSON that every client can read."""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel

SAFE_INTEGER = 2**53
"""A client in JavaScript rounds integers beyond this, so they leave as strings."""

MAX_DEPTH = 200
MAX_VALUES = 200_000
"""Values that share their parts can unfold to any number of them."""


class NotJson(Exception):
    """A value that JSON has no form for; the text names its type."""


def to_json_value(value: Any) -> Any:
    """`value` in the types of JSON. NaN and infinity become null. Raises NotJson."""
    return _Conversion().converted(value, MAX_DEPTH)


def plain_text(text: str) -> str:
    """`text` without lone surrogates, which an API behind the client may refuse."""
    return text.encode("utf-8", "replace").decode()


class _Conversion:
    """One conversion; `left` is how many values it may still meet."""

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def converted(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if depth <= 0 or self.left <= 0:
            raise NotJson("the result is nested too deeply, too large, or holds itself")
        match value:
            case None | bool():
                return value
            case str() if not isinstance(value, Enum):
                return plain_text(value)
            case int() if not isinstance(value, Enum):
                return int(value) if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)
            case float():
                return float(value) if math.isfinite(value) else None
            case list() | tuple():
                return [self.converted(item, depth - 1) for item in value]
            case dict() | Mapping():
                return {self._key(key): self.converted(v, depth - 1) for key, v in value.items()}
            case _:
                return self._rarer(value, depth)

    def _rarer(self, value: Any, depth: int) -> Any:
        match value:
            case Enum():
                return self.converted(value.value, depth - 1)
            case BaseModel():
                # A field that holds what its type doesn't allow is a fault of the tool.
                return self.converted(value.model_dump(warnings="error"), depth)
            case Set():
                return [self.converted(item, depth - 1) for item in _sorted(value)]
            case datetime() | date() | time():
                return value.isoformat()
            case timedelta():
                return value.total_seconds()
            case PurePath() | UUID() | Decimal():
                return plain_text(str(value))
            case bytes() | bytearray():
                return bytes(value).decode("utf-8", "replace")
            case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
                names = [field.name for field in dataclasses.fields(value)]
                return self.converted({name: getattr(value, name) for name in names}, depth)
            case _:
                raise NotJson(f"the tool returned a {type(value).__name__}, which is not JSON")

    def _key(self, key: Any) -> str:
        if type(key) is str:
            return key if key.isascii() else plain_text(key)
        plain = self.converted(key, MAX_DEPTH)
        return plain if isinstance(plain, str) else orjson.dumps(plain).decode()


def _sorted(items: Iterable[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)
