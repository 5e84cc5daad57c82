"""Shapes as Python types: TypedDicts and aliases, as a strict type checker takes them."""

import json
import keyword
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from devloop_tools.domain.bridge.names import Names, readable
from devloop_tools.domain.bridge.shapes import (
    Array,
    Constants,
    Intersection,
    Object,
    Primitive,
    Property,
    Reference,
    Shape,
    Union,
    intersection,
    union,
)

RESERVED = frozenset(
    [
        *keyword.kwlist,
        *"""Any Client ErrorCode EventName Functions Handlers Literal Never NotRequired Protocol
        Response Transport TypeAlias TypedDict Union bool bytes cast dict float int isinstance json
        list models object query quote repr routes self str type urllib""".split(),
    ]
)
"""Words of the language, and names that the generated files use themselves."""

MAX_DEPTH = 60
MAX_DECLARATIONS = 20_000
"""What goes deeper or on without end, as a type that holds itself and more does, is any object."""

_PRIMITIVES = {
    Primitive.STRING: "str",
    Primitive.INTEGER: "int",
    Primitive.NUMBER: "float",
    Primitive.BOOLEAN: "bool",
    Primitive.NULL: "None",
    Primitive.UNKNOWN: "object",
    Primitive.NEVER: "Never",
}


def constant(value: Any) -> str:
    """A JSON value's most exact type."""
    match value:
        case None:
            return "None"
        case bool() | int() | str():
            return f"Literal[{value!r}]"
        case float():
            return "float"
        case list():
            return "list[object]"
        case _:
            return "dict[str, object]"


def quoted(text: str) -> str:
    """A string literal that holds `text`."""
    return json.dumps(text, ensure_ascii=False)


def docstring(text: str, indent: str = "    ") -> str:
    """A docstring of one line; no text can end it early."""
    line = readable(text).replace("\\", "\\\\").replace('"', "'")
    return f'{indent}"""{line}"""\n'


class PythonTypes:
    """Declares types; `names` are the identifiers of the contract's types.

    A type inside another one gets a name of its own: `declarations` collects them.
    """

    def __init__(self, types: Mapping[str, Shape], names: dict[str, str], scope: Names) -> None:
        self._types = types
        self._names = names
        self._scope = scope
        self._merged: list[tuple[Shape, str]] = []
        self._depth = 0
        self.declarations: list[str] = []
        self.warnings: list[str] = []

    def declare(self, name: str, shape: Shape) -> None:
        """Add the declaration of a type under the identifier `name`."""
        whole = self._as_object(shape)
        if whole is not None and whole.others is None and whole.properties:
            self.declarations.append(self._typed_dict(name, whole))
        else:
            text = self.text(shape, name)
            self.declarations.append(f"{name}: TypeAlias = {quoted(text)}\n")

    def text(self, shape: Shape, owner: str) -> str:
        """The type's expression; types inside it are called after `owner`."""
        if self._depth > MAX_DEPTH or len(self.declarations) > MAX_DECLARATIONS:
            self.warnings.append(f"{owner[:80]}: types in types without end; object stands for it")
            return "object"
        self._depth += 1
        try:
            return self._text(shape, owner)
        finally:
            self._depth -= 1

    def _text(self, shape: Shape, owner: str) -> str:
        match shape:
            case Primitive():
                return _PRIMITIVES[shape]
            case Reference(name):
                return self._names[name]
            case Constants(values):
                return " | ".join(dict.fromkeys(map(constant, values))) or "Never"
            case Array(rest, prefix):
                items = union([*prefix, rest or Primitive.NEVER])
                return f"list[{self.text(items, owner + 'Item')}]"
            case Object():
                return self._object(shape, owner)
            case Union(branches):
                texts = [self.text(part, f"{owner}{at}") for at, part in enumerate(branches, 1)]
                return " | ".join(dict.fromkeys(texts))
            case Intersection():
                return self._intersection(shape, owner)
            case _:
                assert_never(shape)

    def _object(self, shape: Object, owner: str) -> str:
        if shape.others is not None:
            # A TypedDict can't say what else may be in it.
            named = [found.shape for found in shape.properties]
            return f"dict[str, {self.text(union([*named, shape.others]), owner + 'Value')}]"
        if not shape.properties:
            return "dict[str, object]"
        name = self._scope.take(owner)
        self.declarations.append(self._typed_dict(name, shape))
        return name

    def _intersection(self, shape: Intersection, owner: str) -> str:
        whole = self._as_object(shape)
        if whole is not None and whole.properties and whole.others is None:
            # What it holds may be the same again, where a type stands inside itself.
            known = next((name for merged, name in self._merged if merged == shape), None)
            return known or self._merged_object(shape, whole, owner)
        if whole is not None:
            return self._object(whole, owner)
        self.warnings.append(
            f"{owner}: Python has no type for all of several; object stands for it"
        )
        return "object"

    def _merged_object(self, shape: Intersection, whole: Object, owner: str) -> str:
        name = self._scope.take(owner)
        self._merged.append((shape, name))
        self.declarations.append(self._typed_dict(name, whole))
        return name

    def _as_object(self, shape: Shape, seen: frozenset[str] = frozenset()) -> Object | None:
        """The one object that an object, or several at once, come to."""
        match shape:
            case Object():
                return shape
            case Reference(name) if seen and name not in seen:
                return self._as_object(self._types[name], seen | {name})
            case Intersection(parts):
                return self._sum(parts, seen | {""})
            case _:
                return None

    def _sum(self, parts: tuple[Shape, ...], seen: frozenset[str]) -> Object | None:
        merged: dict[str, Property] = {}
        others: list[Shape] = []
        for part in parts:
            whole = self._as_object(part, seen)
            if whole is None:
                return None
            for found in whole.properties:
                merged[found.name] = _both(merged.get(found.name), found)
            others += [] if whole.others is None else [whole.others]
        return Object(tuple(merged.values()), intersection(others) if others else None)

    def _typed_dict(self, name: str, shape: Object) -> str:
        fields = "".join(f"        {line},\n" for line in self._fields(name, shape))
        return f"{name} = TypedDict(\n    {quoted(name)},\n    {{\n{fields}    }},\n)\n"

    def _fields(self, name: str, shape: Object) -> Iterator[str]:
        for found in shape.properties:
            owner = name + _word(found.name)
            text = quoted(self.text(found.shape, owner))
            yield f"{quoted(found.name)}: {text if found.required else f'NotRequired[{text}]'}"


def _both(one: Property | None, other: Property) -> Property:
    if one is None:
        return other
    shape = intersection([one.shape, other.shape])
    return Property(other.name, shape, one.required or other.required, one.description)


def _word(name: str) -> str:
    return name[:1].upper() + name[1:]
