"""JSON Schemas of a contract as shapes. What can't be said in one is said as a warning."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from devloop_tools.domain.bridge.shapes import (
    Array,
    Constants,
    Object,
    Primitive,
    Property,
    Reference,
    Shape,
    intersection,
    next_to_it,
    union,
)

MAX_DEPTH = 40
"""Schemas nested deeper stand for any value."""

_OF_OBJECTS = frozenset(["properties", "required", "additionalProperties", "patternProperties"])
_OF_ARRAYS = frozenset(["items", "prefixItems"])


def referred(reference: str) -> str:
    """The name that a `$ref` ends in: `#/types/Todo`, `#/$defs/Todo` and `Todo` are one."""
    return unquote(reference.rpartition("/")[2]).replace("~1", "/").replace("~0", "~")


def definitions_in(node: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Types that a schema brings along in `$defs` or `definitions`, at any depth."""
    if depth > MAX_DEPTH:
        return
    if isinstance(node, dict):
        for key in ("$defs", "definitions"):
            if isinstance(inner := node.get(key), dict):
                yield from inner.items()
        for value in node.values():
            yield from definitions_in(value, depth + 1)
    elif isinstance(node, list):
        for value in node:
            yield from definitions_in(value, depth + 1)


class SchemaShapes:
    """Reads schemas that refer to `types`; `warnings` collects what was lost on the way."""

    def __init__(self, types: dict[str, Any]) -> None:
        self._known = types
        self.warnings: list[str] = []
        self.types = {name: self.shape(schema, name) for name, schema in types.items()}
        for name in self._circular():
            self._warn(f"type {name}: it means itself alone, which no value fits; any value does")
            self.types[name] = Primitive.UNKNOWN

    def shape(self, schema: Any, where: str, depth: int = 0) -> Shape:
        """The values that `schema` lets through; `where` names it in warnings."""
        if isinstance(schema, bool):
            return Primitive.UNKNOWN if schema else Primitive.NEVER
        if not isinstance(schema, dict):
            self._warn(f"{where}: {type(schema).__name__} is no schema; any value stands for it")
            return Primitive.UNKNOWN
        if depth > MAX_DEPTH:
            self._warn(f"{where}: nested deeper than {MAX_DEPTH}; any value stands for the rest")
            return Primitive.UNKNOWN
        found = intersection(list(self._parts(schema, where, depth + 1)))
        if schema.get("nullable") is True:
            return union([found, Primitive.NULL])
        return found

    def _parts(self, schema: dict[str, Any], where: str, depth: int) -> Iterator[Shape]:
        """What must hold at once: siblings of a reference or a combination count too."""
        if isinstance(reference := schema.get("$ref"), str):
            yield self._reference(reference, where)
        for part in _list(schema, "allOf"):
            yield self.shape(part, where, depth)
        for key in ("anyOf", "oneOf"):
            if branches := _list(schema, key):
                yield union([self.shape(branch, where, depth) for branch in branches])
        if "const" in schema:
            yield Constants((schema["const"],))
        elif "enum" in schema:
            yield Constants(tuple(_list(schema, "enum")))
        else:
            yield self._by_type(schema, where, depth)

    def _reference(self, reference: str, where: str) -> Shape:
        name = referred(reference)
        if name in self._known:
            return Reference(name)
        self._warn(f"{where}: {reference} is no type of the contract; any value stands for it")
        return Primitive.UNKNOWN

    def _by_type(self, schema: dict[str, Any], where: str, depth: int) -> Shape:
        named = schema.get("type")
        if isinstance(named, list):
            return union([self._one_type(schema, kind, where, depth) for kind in named])
        if named is None and schema.keys() & _OF_OBJECTS:
            return self._object(schema, where, depth)
        if named is None and schema.keys() & _OF_ARRAYS:
            return self._array(schema, where, depth)
        return self._one_type(schema, named, where, depth)

    def _one_type(self, schema: dict[str, Any], kind: Any, where: str, depth: int) -> Shape:
        match kind:
            case None:
                return Primitive.UNKNOWN
            case "object":
                return self._object(schema, where, depth)
            case "array":
                return self._array(schema, where, depth)
            case "string" | "integer" | "number" | "boolean" | "null":
                return Primitive(kind)
            case _:
                self._warn(f"{where}: {kind} is no type of JSON; any value stands for it")
                return Primitive.UNKNOWN

    def _object(self, schema: dict[str, Any], where: str, depth: int) -> Shape:
        named = schema.get("properties")
        properties: dict[str, Any] = named if isinstance(named, dict) else {}
        required = [name for name in _list(schema, "required") if isinstance(name, str)]
        found = [
            Property(
                name,
                self.shape(properties.get(name, True), f"{where}.{name}", depth),
                name in required,
                _description(properties.get(name)),
            )
            for name in dict.fromkeys((*properties, *required))
        ]
        return Object(tuple(found), self._others(schema, where, depth))

    def _others(self, schema: dict[str, Any], where: str, depth: int) -> Shape | None:
        patterns = schema.get("patternProperties")
        values = list(patterns.values()) if isinstance(patterns, dict) else []
        if (others := schema.get("additionalProperties")) is not None and others is not False:
            values.append(others)
        if not values:
            return None
        return union([self.shape(value, f"{where}.*", depth) for value in values])

    def _array(self, schema: dict[str, Any], where: str, depth: int) -> Shape:
        prefix = [
            self.shape(item, f"{where}[{at}]", depth)
            for at, item in enumerate(_list(schema, "prefixItems"))
        ]
        if schema.get("items") is False:
            return Array(None, tuple(prefix))
        return Array(self.shape(schema.get("items", True), f"{where}[]", depth), tuple(prefix))

    def _circular(self) -> Iterator[str]:
        for name in self.types:
            seen: set[str] = set()
            waiting = next_to_it(self.types[name])
            while waiting:
                other = waiting.pop()
                if other not in seen:
                    seen.add(other)
                    waiting |= next_to_it(self.types[other])
            if name in seen:
                yield name

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _list(schema: dict[str, Any], key: str) -> list[Any]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _description(schema: Any) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""
