"""Arguments that a JSON Schema describes: tools whose author is no Python code of ours.

Schemas are judged by `domain/json_schemas`; the library for references is loaded with the first.
"""

from collections.abc import Iterator
from typing import Any

from devloop_tools.domain.json_schemas import Unjudged, fault_of_schema, faults_of_value
from devloop_tools.frozen import frozen
from devloop_tools.toolkit.arguments import InvalidArguments, Problem, written

MAX_SHOWN = 200


@frozen
class SchemaArguments:
    """Arguments as they came, checked against a schema (JSON Schema 2020-12).

    References are resolved inside the schema alone; nothing is ever fetched.
    """

    @property
    def reads_slowly(self) -> bool:
        return True

    published: dict[str, Any]

    def schema(self) -> dict[str, Any]:
        return self.published

    def parse(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            # What a pattern that can't be judged lets through, the tool's own side still sees.
            found = list(faults_of_value(self.published, arguments, strict=False))
        except Unjudged as exc:
            raise InvalidArguments(tool, [Problem("arguments", f"{exc}.")]) from None
        if found:
            found.sort(key=lambda fault: fault.json_path)
            problems = [Problem(written(f.steps), f.message[:MAX_SHOWN] + ".") for f in found]
            raise InvalidArguments(tool, problems)
        return arguments


def schema_fault(schema: dict[str, Any]) -> str | None:
    """Why `schema` can't be used for a tool's arguments, or None."""
    if schema.get("type") != "object":
        return 'the schema\'s root must have type "object"'
    # anyOf, oneOf and allOf are taken: `schema.flat_root` hides them from who refuses them.
    if unusable := {"not", "enum", "$ref"} & set(schema):
        return f"the schema's root must be a plain object, without {', '.join(sorted(unusable))}"
    return _meta_fault(schema)


def _meta_fault(schema: dict[str, Any]) -> str | None:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    if fault := fault_of_schema(schema):
        return f"the schema is invalid at {written(fault.steps)}: {fault.message[:MAX_SHOWN]}"
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            return f"the schema refers to {reference}, which is not inside it"
    return None


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
