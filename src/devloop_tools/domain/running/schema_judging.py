"""Holds a value against a JSON Schema (2020-12), in sentences."""

import itertools
from typing import Any

from devloop_tools.domain.json_schemas import Unjudged, fault_of_schema, faults_of_value

MAX_FAULTS = 20
MAX_MESSAGE = 300


def schema_faults(schema: Any, value: Any) -> list[str]:
    """What is wrong with `value`, or with the schema itself."""
    if fault := fault_of_schema(schema):
        message = fault.message[:MAX_MESSAGE]
        return [f"the schema itself is invalid at {fault.json_path}: {message}"]
    try:
        faults = list(itertools.islice(faults_of_value(schema, value), MAX_FAULTS))
    except Unjudged as exc:
        return [str(exc)]
    return [f"{fault.json_path}: {fault.message[:MAX_MESSAGE]}" for fault in faults]
