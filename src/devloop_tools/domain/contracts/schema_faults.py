"""Whether something in a contract is a JSON Schema, and no deeper than can be read."""

from typing import Any

from devloop_tools.domain.json_schemas import SchemaFault, fault_of_schema

MAX_SHOWN = 200
MAX_DEPTH = 40
"""Levels of a schema: a dozen frames of the stack are taken for each."""


def schema_fault(schema: Any) -> SchemaFault | None:
    """Why `schema` is none (JSON Schema 2020-12), or None. References are not followed."""
    if _is_deep(schema):
        return SchemaFault((), "$", f"it is nested deeper than {MAX_DEPTH} levels")
    return fault_of_schema(schema)


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
