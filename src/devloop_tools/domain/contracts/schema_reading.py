"""What stands in a JSON Schema: references resolved, and its keywords in one form each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

Schema = dict[str, Any] | bool
Types = Mapping[str, Any]

ANNOTATIONS = frozenset(
    "$schema $id $anchor $comment $defs definitions title description default deprecated"
    " examples example readOnly writeOnly".split()
)
_ALL_TYPES = frozenset("null boolean object array number integer string".split())
_PLAIN = frozenset(["type", "properties", "required"])
EVERYTHING: dict[str, Any] = {}
_NOTHING: dict[str, Any] = {"not": {}}


MAX_SUMS = 3
MAX_PARTS = 16
"""Sums (allOf) inside sums, and parts of one, that are put together; others stay as written."""


def resolved(schema: Any, types: Types, sums: int = MAX_SUMS) -> tuple[dict[str, Any], str]:
    """What a schema means, and the name of the last type on the way to it ("" if none).

    References are followed, a single alternative stands for itself, and a sum of plain objects is
    one object.
    """
    name, seen = "", set()
    while isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            name = reference.rpartition("/")[2]
            if name in seen or name not in types:
                return {"$ref": reference}, ""
            seen.add(name)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            target = types[name]
            schema = {**target, **beside} if isinstance(target, dict) else target
        elif (inner := _only_branch(schema)) is not None:
            schema = inner
        else:
            return _summed(schema, types, sums), name
    return (_NOTHING if schema is False else EVERYTHING), name


def _only_branch(schema: dict[str, Any]) -> Any:
    """The one alternative of a schema that says nothing else, or None."""
    for key in ("allOf", "anyOf", "oneOf"):
        branches = sequence_in(schema, key)
        if len(branches) == 1 and not set(schema) - ANNOTATIONS - {key}:
            return branches[0]
    return None


def _summed(schema: dict[str, Any], types: Types, sums: int) -> dict[str, Any]:
    """An object for allOf of objects with other properties each; anything else as it is."""
    parts = sequence_in(schema, "allOf")
    if not parts or not sums or len(parts) > MAX_PARTS:
        return schema
    rest = {key: value for key, value in schema.items() if key != "allOf"}
    properties: dict[str, Any] = {}
    required: set[str] = set()
    for part in [rest, *(resolved(part, types, sums - 1)[0] for part in parts)]:
        named = mapping_in(part, "properties")
        if part.get("type", "object") != "object" or set(part) - ANNOTATIONS - _PLAIN:
            return schema
        if any(properties.get(name, value) != value for name, value in named.items()):
            return schema
        properties |= named
        required |= names_in(part, "required")
    return {"type": "object", "properties": properties, "required": sorted(required)}


def refers(schema: Any) -> bool:
    """Whether the meaning of a schema depends on types besides it."""
    if isinstance(schema, dict):
        return "$ref" in schema or any(map(refers, schema.values()))
    return isinstance(schema, list) and any(map(refers, schema))


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    named = schema.get("type")
    if named is None:
        return _types_by_values(schema) or _types_by_branches(schema) or _ALL_TYPES
    found = {named} if isinstance(named, str) else set(named)
    if schema.get("nullable") is True:
        found.add("null")
    return frozenset(found | {"integer"} if "number" in found else found)


def _types_by_values(schema: dict[str, Any]) -> frozenset[str]:
    return frozenset(map(_type_of, _listed(schema) or ()))


def _types_by_branches(schema: dict[str, Any]) -> frozenset[str]:
    for key in ("anyOf", "oneOf"):
        branches = sequence_in(schema, key)
        if branches and all(isinstance(branch, dict) and "type" in branch for branch in branches):
            return frozenset().union(*map(types_of, branches))
    return frozenset()


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def type_names(types: frozenset[str]) -> str:
    if types == _ALL_TYPES:
        return "any"
    shown = types - {"integer"} if "number" in types else types
    return " or ".join(sorted(shown))


def _listed(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    return listed if isinstance(listed, list) else None


def values_of(schema: dict[str, Any]) -> frozenset[str] | None:
    listed = _listed(schema)
    return None if listed is None else frozenset(map(shown, listed))


def shown(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def mapping_in(schema: dict[str, Any], key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def sequence_in(schema: dict[str, Any], key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def names_in(schema: dict[str, Any], key: str) -> set[str]:
    return {name for name in sequence_in(schema, key) if isinstance(name, str)}


@dataclass(frozen=True, slots=True)
class Branch:
    """One alternative as it is written, and what that means: references resolved once."""

    written: Any
    meaning: dict[str, Any]


def branches_of(schema: dict[str, Any], key: str, types: Types) -> list[Branch]:
    """The branches; a schema without them is one branch by itself."""
    if key in schema:
        written = sequence_in(schema, key)
    else:
        written = [] if key == "allOf" else [schema]
    return [Branch(branch, _bare(resolved(branch, types)[0])) for branch in written]


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ANNOTATIONS}


def without(some: list[Branch], others: list[Branch]) -> list[Branch]:
    meanings = [branch.meaning for branch in others]
    return [branch for branch in some if branch.meaning not in meanings]


def effect(*, widens: bool) -> dict[str, bool]:
    return {"widens": widens, "narrows": not widens}


def plural(items: list[Branch]) -> str:
    return "s" if len(items) > 1 else ""
