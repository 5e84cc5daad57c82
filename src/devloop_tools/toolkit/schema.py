"""pydantic models to the schemas that go out: small, flat, and readable without resolving."""

import types
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter

Schema = dict[str, Any]

TRUNCATION = {
    "truncated": {"type": "boolean", "description": "The result was cut to fit."},
    "full_result": {"type": "string", "description": "The file that holds the whole result."},
}
"""Every result may carry these (see `server.bounds`)."""


def input_schema(model: type[BaseModel]) -> Schema:
    """The arguments' schema. Raises TypeError where its root is no plain object."""
    schema = _published(model)
    if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf", "not", "enum"} & set(schema):
        raise TypeError(f"{model.__name__}: the root of a tool's input is one plain object")
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def output_schema(result: Any) -> Schema | None:
    """One flat object over all models that may come back, only `ok` required.

    None for text and for values without a model.
    """
    if not declares_schema(result):
        return None
    properties: Schema = {}
    for model in _members(result):
        for name, field in _published(model).get("properties", {}).items():
            properties.setdefault(name, field)
    if "ok" in properties:
        properties["ok"] = {"type": "boolean", "description": "Whether the tool did its work."}
    required = ["ok"] if "ok" in properties else []
    return {"type": "object", "properties": {**properties, **TRUNCATION}, "required": required}


def declares_schema(result: Any) -> bool:
    """Whether everything that a tool with this annotation returns is a model."""
    return all(
        isinstance(member, type) and issubclass(member, BaseModel) for member in _members(result)
    )


def _members(result: Any) -> tuple[Any, ...]:
    return get_args(result) if get_origin(result) in (Union, types.UnionType) else (result,)


def _published(model: type[BaseModel]) -> Schema:
    raw = TypeAdapter(model).json_schema(mode="validation")
    definitions = raw.pop("$defs", {})
    schema: Schema = _inlined(raw, definitions, ())
    if kept := _recursive_definitions(schema, definitions):
        schema["$defs"] = kept
    return schema


def _inlined(node: Any, definitions: Schema, open_names: tuple[str, ...]) -> Any:
    """`node` without titles and references, but for those to something that holds itself."""
    if isinstance(node, list):
        return [_inlined(item, definitions, open_names) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        name = reference.rpartition("/")[2]
        if name in open_names:
            return node
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = {key: v for key, v in definitions[name].items() if key != "description"}
        return _inlined({**target, **beside}, definitions, (*open_names, name))
    plain = _without_null(node)
    return {
        key: (
            {name: _inlined(field, definitions, open_names) for name, field in value.items()}
            if key == "properties"
            else _inlined(value, definitions, open_names)
        )
        for key, value in plain.items()
        if key != "title" or not isinstance(value, str)
    }


def _without_null(node: Schema) -> Schema:
    """An optional field's `X or null, default null` as plain X: null counts as absent."""
    choices = node.get("anyOf")
    if not isinstance(choices, list) or node.get("default", ...) is not None:
        return node
    kept = [choice for choice in choices if choice != {"type": "null"}]
    if len(kept) == len(choices):
        return node
    rest = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
    return {**kept[0], **rest} if len(kept) == 1 else {"anyOf": kept, **rest}


def _recursive_definitions(schema: Schema, definitions: Schema) -> Schema:
    wanted, kept = _references(schema), {}
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept[name] = _inlined(definitions[name], definitions, (name,))
            wanted |= _references(kept[name])
    return kept


def _references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(_references(item) for item in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    found: set[str] = set().union(*(_references(value) for value in node.values()))
    reference = node.get("$ref")
    return found | {reference.rpartition("/")[2]} if isinstance(reference, str) else found
