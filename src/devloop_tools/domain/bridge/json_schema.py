"""A contract as one JSON Schema 2020-12 document: each of its schemas is a definition."""

from typing import Any
from urllib.parse import quote

import orjson

from devloop_tools.domain.bridge.contract_shapes import all_types
from devloop_tools.domain.bridge.names import braced
from devloop_tools.domain.bridge.schema_shapes import MAX_DEPTH, referred
from devloop_tools.domain.contracts.contract import Contract, parse_contract
from devloop_tools.domain.json_schemas import fault_of_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(raw: dict[str, Any], path: str) -> tuple[dict[str, str], list[str]]:
    """File name to text, without the header, and what is no schema. The file is schema.json.

    Definitions: each type by its name, and `GET /todos/{id} request`, `GET /todos/{id} 200`,
    `createTodo title`, `createTodo returns`, `event todo.created`.
    """
    contract = parse_contract(raw, path)
    types = all_types(raw, contract)
    schemas = {**types, **{name: schema for name, schema in _parts(contract) if schema is not None}}
    rewriting = _Rewriting(types)
    definitions = {name: rewriting.of(schema, name) for name, schema in schemas.items()}
    if fault_of_schema({"$defs": definitions}):
        definitions = {name: rewriting.sound(schema, name) for name, schema in definitions.items()}
    document = {"$schema": DIALECT, "title": contract.unit, "$defs": definitions}
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return {"schema.json": text.decode()}, rewriting.warnings


def _parts(contract: Contract) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = []
    for endpoint in contract.endpoints:
        name = f"{endpoint.method.upper()} {braced(endpoint.path)}"
        parts.append((f"{name} request", endpoint.request))
        parts += [(f"{name} {status}", schema) for status, schema in endpoint.responses.items()]
    for function in contract.functions:
        parts += [(f"{function.name} {given.name}", given.schema_) for given in function.params]
        parts.append((f"{function.name} returns", function.returns))
    parts += [(f"event {event.name}", event.payload) for event in contract.events]
    return parts


class _Rewriting:
    """References to types of the contract become references inside the document."""

    def __init__(self, types: dict[str, Any]) -> None:
        self._types = types
        self.warnings: list[str] = []

    def sound(self, schema: Any, where: str) -> Any:
        """The schema, or one that lets everything through where it is no JSON Schema 2020-12."""
        if fault := fault_of_schema(schema):
            message = f"no JSON Schema 2020-12: {fault.message}"
            self.warnings.append(f"{where}: {message}; any value fits")
            return {}
        return schema

    def of(self, schema: Any, where: str, depth: int = 0) -> Any:
        """The schema with its references rewritten."""
        if depth > 2 * MAX_DEPTH:
            self.warnings.append(f"{where}: nested too deep; any value stands for the rest")
            return {}
        if isinstance(schema, list):
            return [self.of(item, where, depth + 1) for item in schema]
        if not isinstance(schema, dict):
            return schema
        kept = {
            key: value
            for key, value in schema.items()
            # They are definitions of the document now; one dialect holds for all of it.
            if key not in ("$defs", "definitions", "$schema", "$id", "$anchor")
        }
        rewritten = {
            key: value if key in ("const", "enum", "default", "examples", "example")
            else self.of(value, where, depth + 1)
            for key, value in kept.items()
        }  # fmt: skip
        if isinstance(reference := schema.get("$ref"), str):
            rewritten |= self._reference(reference, where)
            if rewritten["$ref"] == "":
                del rewritten["$ref"]
        return rewritten

    def _reference(self, reference: str, where: str) -> dict[str, str]:
        name = referred(reference)
        if name not in self._types:
            self.warnings.append(f"{where}: {reference} is no type; any value stands for it")
            return {"$ref": "", "$comment": f"unknown: {reference}"}
        pointer = name.replace("~", "~0").replace("/", "~1")
        return {"$ref": f"#/$defs/{quote(pointer, safe='~')}"}
