"""Shapes as TypeScript types, as `tsc --strict` takes them."""

import json
from typing import Any, assert_never

from devloop_tools.domain.bridge.names import readable
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
    union,
)

RESERVED = frozenset(
    """any arguments as async await bigint boolean break case catch class const continue debugger
    declare default delete do else enum eval export extends false finally for function if
    implements import in infer instanceof interface is keyof let module namespace never new null
    number object of package private protected public readonly require return static string
    super switch symbol this throw true try type typeof undefined unique unknown var void while
    with yield
    Array Client Error ErrorCode Events Fetch Functions Handlers Promise Record String Transport
    TransportRequest TransportResponse encodeURIComponent routes""".split()
)
"""Words of the language, and names that the generated files use themselves."""

_PRIMITIVES = {
    Primitive.STRING: "string",
    Primitive.INTEGER: "number",
    Primitive.NUMBER: "number",
    Primitive.BOOLEAN: "boolean",
    Primitive.NULL: "null",
    Primitive.UNKNOWN: "unknown",
    Primitive.NEVER: "never",
}


def literal(value: Any) -> str:
    """A JSON value as a literal type."""
    match value:
        case dict():
            return "{ " + "".join(f"{quoted(k)}: {literal(v)}; " for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def quoted(name: str) -> str:
    """A property's name: as it is where it may stand so, else as a string."""
    # `new(): T` would be a constructor.
    if name.isascii() and name.isidentifier() and name != "new":
        return name
    return json.dumps(name, ensure_ascii=False)


def comment(text: str, indent: str = "") -> str:
    """A doc comment of one line, or nothing; no text can end it early."""
    line = readable(text).replace("*/", "* /")
    return f"{indent}/** {line} */\n" if line else ""


class TypescriptTypes:
    """Writes types; `names` are the identifiers of the contract's types."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def declared(self, name: str, shape: Shape) -> str:
        """The declaration of a type under the identifier `name`."""
        if isinstance(shape, Object):
            return f"export interface {name} {self._object(shape, '')}\n"
        return f"export type {name} = {self.text(shape)};\n"

    def text(self, shape: Shape, indent: str = "") -> str:
        """The type's expression."""
        match shape:
            case Primitive():
                return _PRIMITIVES[shape]
            case Reference(name):
                return self._names[name]
            case Constants(values):
                return " | ".join(map(literal, values)) or "never"
            case Array():
                return self._array(shape, indent)
            case Object():
                return self._object(shape, indent)
            case Union(branches):
                return " | ".join(self._inner(branch, indent) for branch in branches)
            case Intersection(parts):
                return " & ".join(self._inner(part, indent) for part in parts)
            case _:
                assert_never(shape)

    def _inner(self, shape: Shape, indent: str) -> str:
        text = self.text(shape, indent)
        joined = isinstance(shape, Union | Intersection) or (
            isinstance(shape, Constants) and len(shape.values) > 1
        )
        return f"({text})" if joined else text

    def _array(self, shape: Array, indent: str) -> str:
        if not shape.prefix:
            return f"{self._inner(shape.rest, indent)}[]" if shape.rest else "[]"
        # JSON Schema asks for none of the first items; whoever sends fewer says so by minItems.
        items = [f"({self.text(item, indent)})?" for item in shape.prefix]
        if shape.rest:
            items.append(f"...{self._inner(shape.rest, indent)}[]")
        return f"[{', '.join(items)}]"

    def _object(self, shape: Object, indent: str) -> str:
        if not shape.properties and shape.others is None:
            return "{ [name: string]: unknown }"
        inside = indent + "  "
        lines = [self._property(found, inside) for found in shape.properties]
        if shape.others is not None:
            lines.append(f"{inside}[name: string]: {self._others(shape, inside)};\n")
        return "{\n" + "".join(lines) + indent + "}"

    def _property(self, found: Property, indent: str) -> str:
        mark = "" if found.required else "?"
        text = self.text(found.shape, indent)
        return f"{comment(found.description, indent)}{indent}{quoted(found.name)}{mark}: {text};\n"

    def _others(self, shape: Object, indent: str) -> str:
        # An index signature must cover the named properties too.
        named = [found.shape for found in shape.properties]
        text = self.text(union([*named, shape.others or Primitive.NEVER]), indent)
        optional = any(not found.required for found in shape.properties)
        return f"{text} | undefined" if optional and text != "unknown" else text
