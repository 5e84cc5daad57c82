"""Whether something is a JSON Schema. Wraps jsonschema, which is loaded when first needed."""

from dataclasses import dataclass
from typing import Any

MAX_SHOWN = 200
MAX_DEPTH = 40
"""Levels of a schema: jsonschema takes a dozen frames of the stack for each."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What is wrong, and the steps that lead to it from the schema's root."""

    steps: tuple[str | int, ...]
    message: str


def schema_fault(schema: Any) -> SchemaFault | None:
    """Why `schema` is none (JSON Schema 2020-12), or None. References are not followed."""
    if _is_deep(schema):
        return SchemaFault((), f"it is nested deeper than {MAX_DEPTH} levels")
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        return SchemaFault(tuple(exc.absolute_path), exc.message[:MAX_SHOWN])
    return None


def _is_deep(schema: Any) -> bool:
    level = [schema]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for node in level
            if isinstance(node, dict | list)
            for inner in (node.values() if isinstance(node, dict) else node)
        ]
    return bool(level)
