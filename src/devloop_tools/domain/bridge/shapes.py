"""What values a JSON Schema lets through, in the few forms that programming languages share."""

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Primitive(StrEnum):
    """Types without parts, and the two bounds: every value, and none."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    UNKNOWN = "unknown"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Reference:
    """A type of the contract by its name there."""

    name: str


@dataclass(frozen=True, slots=True)
class Constants:
    """One of these JSON values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """`prefix` are the first items, `rest` is every item behind them (None: there is none)."""

    rest: "Shape | None"
    prefix: tuple["Shape", ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    name: str
    shape: "Shape"
    required: bool
    description: str = ""


@dataclass(frozen=True, slots=True)
class Object:
    """`others` is what properties that aren't named may hold; None where nothing says so."""

    properties: tuple[Property, ...]
    others: "Shape | None" = None


@dataclass(frozen=True, slots=True)
class Union:
    branches: tuple["Shape", ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    parts: tuple["Shape", ...]


Shape = Primitive | Reference | Constants | Array | Object | Union | Intersection


def union(branches: list[Shape]) -> Shape:
    """One of `branches`, in the simplest form."""
    inner = [one.branches if isinstance(one, Union) else (one,) for one in branches]
    flat = _simplest(inner, neutral=Primitive.NEVER, decisive=Primitive.UNKNOWN)
    return flat[0] if len(flat) == 1 else Union(flat)


def intersection(parts: list[Shape]) -> Shape:
    """All of `parts` at once, in the simplest form."""
    inner = [one.parts if isinstance(one, Intersection) else (one,) for one in parts]
    flat = _simplest(inner, neutral=Primitive.UNKNOWN, decisive=Primitive.NEVER)
    return flat[0] if len(flat) == 1 else Intersection(flat)


def _simplest(
    groups: list[tuple[Shape, ...]], *, neutral: Shape, decisive: Shape
) -> tuple[Shape, ...]:
    """Each shape once; `neutral` where nothing else is left, `decisive` alone where it occurs."""
    flat: list[Shape] = []
    for shape in itertools.chain.from_iterable(groups):
        if shape is not neutral and shape not in flat:
            flat.append(shape)
    if decisive in flat:
        return (decisive,)
    return tuple(flat) or (neutral,)


def next_to_it(shape: Shape) -> set[str]:
    """The types that `shape` means itself, not inside an array or an object."""
    match shape:
        case Reference(name):
            return {name}
        case Union(parts) | Intersection(parts):
            return set().union(*map(next_to_it, parts))
        case _:
            return set()
