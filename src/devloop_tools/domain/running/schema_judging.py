"""Holds a value against a JSON Schema (2020-12). References stay inside it; nothing is fetched."""

import itertools
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

MAX_FAULTS = 20
MAX_MESSAGE = 300


def schema_faults(schema: Any, value: Any) -> list[str]:
    """What is wrong with `value`, or with the schema itself."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        return [f"the schema itself is invalid at {exc.json_path}: {exc.message[:MAX_MESSAGE]}"]
    validator = Draft202012Validator(schema, registry=Registry())
    try:
        faults = list(itertools.islice(validator.iter_errors(value), MAX_FAULTS))
    except Unresolvable as exc:
        return [f"the schema refers to {exc.ref}, which is not inside it"]
    except RecursionError:
        return ["the schema or the body is nested too deep"]
    return [f"{fault.json_path}: {fault.message[:MAX_MESSAGE]}" for fault in faults]
