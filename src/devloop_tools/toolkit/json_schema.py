"""Arguments that a JSON Schema describes: tools whose author is no Python code of ours.

It knows jsonschema, which is loaded when the first such tool is used; the schemas in contracts are
checked by `domain/contracts/schema_faults`.
"""

from collections.abc import Iterator
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.toolkit.arguments import InvalidArguments, Problem, written

MAX_SHOWN = 200


@frozen
class SchemaArguments:
    """Arguments as they came, checked against a schema (JSON Schema 2020-12).

    References are resolved inside the schema alone; nothing is ever fetched.
    """

    published: dict[str, Any]

    def schema(self) -> dict[str, Any]:
        return self.published

    def parse(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        faults = sorted(_faults(self.published, arguments), key=lambda fault: fault.json_path)
        if faults:
            raise InvalidArguments(tool, [_problem(fault) for fault in faults])
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
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        where = written(list(exc.absolute_path))
        return f"the schema is invalid at {where}: {exc.message[:MAX_SHOWN]}"
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            return f"the schema refers to {reference}, which is not inside it"
    return None


def _faults(schema: dict[str, Any], value: Any) -> list[Any]:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return list(Draft202012Validator(schema, registry=Registry()).iter_errors(value))


def _problem(fault: Any) -> Problem:
    return Problem(written(list(fault.absolute_path)), fault.message[:MAX_SHOWN] + ".")


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
