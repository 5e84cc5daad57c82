"""Arguments that a JSON Schema describes: tools whose author is no Python code of ours.

The one module that knows jsonschema, which is loaded when the first such tool is used.
"""

from dataclasses import dataclass
from typing import Any

from devloop_tools.toolkit.arguments import InvalidArguments, Problem

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
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
    if combined := {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"} & set(schema):
        return f"the schema's root must be a plain object, without {', '.join(sorted(combined))}"
    return _meta_fault(schema)


def _meta_fault(schema: dict[str, Any]) -> str | None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(schema)
        # An empty object reaches no nested reference, but finds a broken one at the root.
        _faults(schema, {})
    except SchemaError as exc:
        return f"the schema is invalid at {exc.json_path}: {exc.message[:MAX_SHOWN]}"
    except Unresolvable as exc:
        return f"the schema refers to {exc.ref}, which is not inside it"
    return None


def _faults(schema: dict[str, Any], value: Any) -> list[Any]:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return list(Draft202012Validator(schema, registry=Registry()).iter_errors(value))


def _problem(fault: Any) -> Problem:
    where = fault.json_path.removeprefix("$").removeprefix(".") or "arguments"
    return Problem(where, fault.message[:MAX_SHOWN] + ".")
