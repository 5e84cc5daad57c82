"""Types as source code writes them, in the few forms that TypeScript and Python share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name there (`Todo`, `datetime.date`), applied to `arguments`."""

    name: str
    arguments: tuple["TypeTerm", ...] = ()


@dataclass(frozen=True, slots=True)
class Literal:
    """One value: a text, a number, a truth value or None."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class AnyOf:
    branches: tuple["TypeTerm", ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple["TypeTerm", ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    item: "TypeTerm"


@dataclass(frozen=True, slots=True)
class TupleOf:
    items: tuple["TypeTerm", ...]


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: "TypeTerm"
    required: bool


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with these fields; `others` is what further ones hold, None: there are none."""

    fields: tuple[Field, ...]
    others: "TypeTerm | None" = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A type that isn't read further: any value may be meant."""


TypeTerm = Named | Literal | AnyOf | AllOf | ListOf | TupleOf | Fields | Unread

UNREAD = Unread()


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """A type that a module defines. `parameters` are its own type variables, in order."""

    name: str
    line: int
    body: TypeTerm
    parameters: tuple[str, ...] = ()
    is_alias: bool = False
    in_camel_case: bool = False
    """Whether its fields, and those of types built on it, go by other names on the wire."""
