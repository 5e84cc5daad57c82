"""What names stand for on the way: scopes, and the things that no name stands between any more."""

from dataclasses import dataclass, field

from devloop_tools.domain.source.syntax import (
    Assign,
    Bind,
    Class,
    Expression,
    Function,
    Module,
    Name,
    Statement,
)


@dataclass(eq=False)
class Scope:
    """The names of a module or a function; `itself` is the class of a method."""

    module: Module
    parent: "Scope | None" = None
    names: dict[str, list[Expression]] = field(default_factory=dict)
    params: dict[str, "Given"] = field(default_factory=dict)
    itself: Class | None = None
    function: Function | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter, or one part (`key`) of one that is taken apart."""

    function: Function
    index: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Space:
    """A module as a value, or a Python package by its folder."""

    module: Module | None
    folder: str = ""


@dataclass(frozen=True, slots=True)
class External:
    """Something that the unit gets from outside, by its dotted name: `express.Router`."""

    name: str


@dataclass(frozen=True, slots=True)
class Instance:
    klass: Class


Thing = Expression | Given | Space | External | Instance
Ground = tuple[Thing, Scope]
"""What no name stands between any more, and the scope that its own names are in."""


def names_in(body: tuple[Statement, ...]) -> dict[str, list[Expression]]:
    """Everything that each name is bound to in a body."""
    found: dict[str, list[Expression]] = {}
    for statement in body:
        if isinstance(statement, Bind):
            found.setdefault(statement.name, []).append(statement.value)
    for statement in body:
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            if statement.target.name in found:
                found[statement.target.name].append(statement.value)
    return found
