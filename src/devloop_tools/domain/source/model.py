"""What a unit's source offers to others: routes, functions and types, each with its place."""

from dataclasses import dataclass

from devloop_tools.domain.source.syntax import Function
from devloop_tools.domain.source.type_terms import TypeDefinition, TypeTerm


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file; `file` is relative to the unit's folder."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Route:
    """One method on one path, all prefixes before it. `method` is `*` where every one is served.

    `statuses` are the successes that its handler may answer, None where that can't be said;
    `answer` is the type of what it answers where the code declares one.
    """

    method: str
    path: str
    place: Place
    statuses: frozenset[int] | None
    answer: TypeTerm | None = None


@dataclass(frozen=True, slots=True)
class OfferedFunction:
    """A function by the name it's given out under. No `signatures`: they can't be said."""

    name: str
    place: Place
    signatures: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class OfferedType:
    """A type by the name it's given out under; no `definition`: it comes from outside."""

    name: str
    place: Place
    definition: TypeDefinition
