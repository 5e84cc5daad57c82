"""pydantic models to the schemas that go out: small, flat, and readable without resolving."""

import types
from functools import cache
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, TypeAdapter

from devloop_tools.domain.outcome import Refused
from devloop_tools.frozen import frozen

Schema = dict[str, Any]

_CHOICES = ("anyOf", "oneOf", "allOf")

TRUNCATION = {
    "truncated": {"type": "boolean", "description": "The result was cut to fit."},
    "full_result": {"type": "string", "description": "The file that holds the whole result."},
}
"""Every result may carry these (see `server.bounds`)."""

_DATA = frozenset({"default", "examples", "const", "enum", "required"})
"""Keywords whose value is data, whatever its form."""


@cache
def input_schema(model: type[BaseModel]) -> Schema:
    """The arguments' schema, which callers share. Raises TypeError: its root is no plain object."""
    schema = _published(TypeAdapter(model).json_schema(), null_is_absent=True)
    if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf", "not", "enum"} & set(schema):
        raise TypeError(f"{model.__name__}: the root of a tool's input is one plain object")
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


@cache
def output_schema(result: Any) -> Schema | None:
    """One flat object over all models that may come back, only `ok` required. Callers share it.

    None for text and for values without a model.
    """
    if not declares_schema(result):
        return None
    published = _published(TypeAdapter(result).json_schema(), null_is_absent=False)
    variants: dict[str, list[Schema]] = {}
    for branch in published.get("anyOf", [published]):
        for name, field in branch.get("properties", {}).items():
            seen = variants.setdefault(name, [])
            if field not in seen:
                seen.append(field)
    properties: Schema = {
        name: seen[0] if len(seen) == 1 else {"anyOf": seen} for name, seen in variants.items()
    }
    if "ok" in properties:
        properties["ok"] = {"type": "boolean", "description": "Whether the tool did its work."}
    schema = {
        "type": "object",
        "properties": {**properties, **TRUNCATION},
        "required": ["ok"] if "ok" in properties else [],
    }
    return schema | ({"$defs": published["$defs"]} if "$defs" in published else {})


def flat_root(schema: Schema) -> Schema:
    """`schema` without choices at its root, which the model's API refuses there.

    What the choices name stays to be seen, as properties; a call is held to the whole schema.
    """
    choices = [branch for word in _CHOICES for branch in schema.get(word, ())]
    if not choices:
        return schema
    named: Schema = {}
    for branch in choices:
        if isinstance(branch, dict):
            named |= branch.get("properties", {})
    rest = {word: value for word, value in schema.items() if word not in _CHOICES}
    return {**rest, "properties": {**named, **schema.get("properties", {})}}


def declares_schema(result: Any) -> bool:
    """Whether everything that a tool with this annotation returns is a model of an object."""
    return all(
        isinstance(member, type)
        and issubclass(member, BaseModel)
        and not issubclass(member, RootModel)
        for member in _members(result)
    )


def published_types(result: Any) -> tuple[type, ...]:
    """What a tool whose annotation `result` declares a schema may return.

    An expected failure may always come: of the schema it needs `ok` alone.
    """
    return (*_members(result), Refused)


def _members(result: Any) -> tuple[Any, ...]:
    return get_args(result) if get_origin(result) in (Union, types.UnionType) else (result,)


def _published(raw: Schema, *, null_is_absent: bool) -> Schema:
    inliner = _Inliner(raw.pop("$defs", {}), null_is_absent)
    schema: Schema = inliner.inlined(raw)
    if kept := inliner.recursive_definitions(schema):
        schema["$defs"] = kept
    return schema


_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
"""Keywords whose value holds schemas by name."""

_DROPPED = frozenset({"title", "discriminator"})
"""What no reader needs: names of classes, and a mapping to references that are inlined here."""


@frozen
class _Inliner:
    """Schemas without titles and references, but for those to something that holds itself."""

    definitions: Schema
    null_is_absent: bool

    def inlined(self, node: Any, open_names: tuple[str, ...] = ()) -> Any:
        """`node`, inside the definitions `open_names`."""
        if isinstance(node, list):
            return [self.inlined(item, open_names) for item in node]
        if not isinstance(node, dict):
            return node
        plain = self._without_null(node)
        if isinstance(reference := plain.get("$ref"), str):
            name = reference.rpartition("/")[2]
            if name in open_names:
                return plain
            beside = {key: value for key, value in plain.items() if key != "$ref"}
            target = {k: v for k, v in self.definitions[name].items() if k != "description"}
            return self.inlined({**target, **beside}, (*open_names, name))
        return {
            key: self._inlined_value(key, value, open_names)
            for key, value in plain.items()
            if key not in _DROPPED
        }

    def _inlined_value(self, key: str, value: Any, open_names: tuple[str, ...]) -> Any:
        if key in _DATA:
            return value
        if key in _NAMED:
            return {name: self.inlined(field, open_names) for name, field in value.items()}
        return self.inlined(value, open_names)

    def _without_null(self, node: Schema) -> Schema:
        """An optional field's `X or null, default null`: as X where null counts as absent."""
        choices = node.get("anyOf")
        if not isinstance(choices, list) or node.get("default", ...) is not None:
            return node
        rest = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
        kept = [choice for choice in choices if choice != {"type": "null"}]
        if not self.null_is_absent:
            return {"anyOf": choices, **rest}
        return {**kept[0], **rest} if len(kept) == 1 else {"anyOf": kept, **rest}

    def recursive_definitions(self, schema: Schema) -> Schema:
        """The definitions that `schema` still refers to."""
        wanted, kept = _references(schema), {}
        while wanted:
            name = wanted.pop()
            if name not in kept:
                kept[name] = self.inlined(self.definitions[name], (name,))
                wanted |= _references(kept[name])
        return kept


def _references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(_references(item) for item in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    inner = (value for key, value in node.items() if key not in _DATA)
    found: set[str] = set().union(*(_references(value) for value in inner))
    reference = node.get("$ref")
    return found | {reference.rpartition("/")[2]} if isinstance(reference, str) else found
