"""Whatever a tool returned, as JSON that every client can read."""

import dataclasses
import math
from collections.abc import Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic import BaseModel

SAFE_INTEGER = 2**53
"""A client in JavaScript rounds integers beyond this, so they leave as strings."""

MAX_DEPTH = 200


class NotJson(Exception):
    """A value that JSON has no form for; the text names its type."""


def to_json_value(value: Any) -> Any:
    """`value` in the types of JSON. NaN and infinity become null. Raises NotJson."""
    return _converted(value, MAX_DEPTH)


def _converted(value: Any, depth: int) -> Any:
    if depth <= 0:
        raise NotJson("the result is nested too deeply, or holds itself")
    match value:
        case None | bool():
            return value
        case str() if not isinstance(value, Enum):
            return value.encode("utf-8", "replace").decode("utf-8")
        case int() if not isinstance(value, Enum):
            return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {_key(key): _converted(item, depth - 1) for key, item in value.items()}
        case list() | tuple():
            return [_converted(item, depth - 1) for item in value]
        case _:
            return _rarer(value, depth)


def _rarer(value: Any, depth: int) -> Any:
    match value:
        case Enum():
            return _converted(value.value, depth - 1)
        case BaseModel():
            return _converted(value.model_dump(), depth)
        case Set():
            return [_converted(item, depth - 1) for item in sorted(value, key=repr)]
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case PurePath() | UUID() | Decimal():
            return str(value)
        case bytes() | bytearray():
            return bytes(value).decode("utf-8", "replace")
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return _converted({name: getattr(value, name) for name in names}, depth)
        case _:
            raise NotJson(f"the tool returned a {type(value).__name__}, which is not JSON")


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(_converted(key, 1))
