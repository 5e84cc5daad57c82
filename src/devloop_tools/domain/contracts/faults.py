"""What is wrong inside a contract that has the form of one: names twice, types that nobody defines.

Each fault says by steps where in the contract's JSON it stands.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import unquote

from devloop_tools.domain.contracts.json_places import Step
from devloop_tools.domain.contracts.schema_faults import MAX_SHOWN, schema_fault

_PATH_PARAMETER = re.compile(r"\{[^/{}]*\}|(?<=/):[^/]+")
_STATUS = re.compile(r"[1-5][0-9]{2}|[1-5]XX|default")


class ContractCode(StrEnum):
    DUPLICATE_ENDPOINT = "duplicate-endpoint"
    DUPLICATE_NAME = "duplicate-name"
    INVALID_SCHEMA = "invalid-schema"
    INVALID_STATUS = "invalid-status"
    UNDEFINED_TYPE = "undefined-type"


@dataclass(frozen=True, slots=True)
class ContractFault:
    """One fault, where it stands, and what would mend it."""

    code: ContractCode
    steps: tuple[Step, ...]
    message: str
    fix: str


def written(steps: tuple[Step, ...]) -> str:
    """Steps as a person reads them: `endpoints.0.request`."""
    return ".".join(map(str, steps))


def contract_faults(raw: dict[str, Any], units: Collection[str] = ()) -> Iterator[ContractFault]:
    """The faults of a contract that `parse_contract` takes.

    Types may be those of other `units`, as `todo-be#/types/Todo`.
    """
    yield from _duplicate_endpoints(raw)
    for part in ("functions", "events"):
        yield from _duplicates(raw, part, "name", lambda item: item["name"])
    yield from _duplicates(raw, "errors", "code", lambda item: str(item["code"]))
    yield from _statuses(raw)
    for steps, schema in schemas_in(raw):
        if fault := schema_fault(schema):
            where = (*steps, *fault.steps)
            message = f"{written(where)} is no JSON Schema: {fault.message[:MAX_SHOWN]}"
            fix = "Write it in JSON Schema 2020-12."
            yield ContractFault(ContractCode.INVALID_SCHEMA, where, message, fix)
            continue
        for inner, reference in references_in(schema):
            if not _is_defined(reference, raw, schema, units):
                yield _undefined((*steps, *inner), reference, raw)


def schemas_in(raw: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Every schema of a contract, with the steps that lead to it."""
    places: list[tuple[tuple[Step, ...], Any]] = []
    for at, endpoint in enumerate(raw.get("endpoints", ())):
        places.append((("endpoints", at, "request"), endpoint.get("request")))
        for status, schema in endpoint.get("responses", {}).items():
            places.append((("endpoints", at, "responses", status), schema))
    for at, function in enumerate(raw.get("functions", ())):
        for place, parameter in enumerate(function.get("params", ())):
            where = ("functions", at, "params", place, "schema")
            places.append((where, parameter.get("schema")))
        places.append((("functions", at, "returns"), function.get("returns")))
    places += [(("types", name), schema) for name, schema in raw.get("types", {}).items()]
    for at, event in enumerate(raw.get("events", ())):
        places.append((("events", at, "payload"), event.get("payload")))
    yield from ((steps, schema) for steps, schema in places if schema is not None)


def references_in(schema: Any) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Every `$ref` of a schema, with the steps that lead to it; values and examples have none."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), schema)]
    while waiting:
        steps, node = waiting.pop()
        if isinstance(node, list):
            waiting += [((*steps, at), item) for at, item in enumerate(node)]
        elif isinstance(node, dict):
            if isinstance(reference := node.get("$ref"), str):
                yield (*steps, "$ref"), reference
            is_named = bool(steps) and steps[-1] in ("properties", "patternProperties", "$defs")
            for key, item in node.items():
                if is_named or key not in ("const", "enum", "default", "example", "examples"):
                    waiting.append(((*steps, key), item))


def unit_named_in(reference: str) -> str | None:
    """The unit that a reference such as `todo-be#/types/Todo` names, or None."""
    unit, hash_sign, pointer = reference.partition("#")
    return unit if hash_sign and unit and pointer.startswith("/types/") else None


def _duplicate_endpoints(raw: dict[str, Any]) -> Iterator[ContractFault]:
    seen: dict[tuple[str, str], int] = {}
    for at, endpoint in enumerate(raw.get("endpoints", ())):
        method, path = endpoint["method"].upper(), endpoint["path"]
        first = seen.setdefault((method, _PATH_PARAMETER.sub("{}", path)), at)
        if first != at:
            message = f"{method} {path} is endpoints.{first} too; parameters have no names in calls"
            fix = "Keep one of them, or give it another path."
            yield ContractFault(
                ContractCode.DUPLICATE_ENDPOINT, ("endpoints", at, "path"), message, fix
            )


def _duplicates(
    raw: dict[str, Any], part: str, field: str, key: Callable[[dict[str, Any]], str]
) -> Iterator[ContractFault]:
    seen: dict[str, int] = {}
    for at, item in enumerate(raw.get(part, ())):
        name = key(item)
        if (first := seen.setdefault(name, at)) != at:
            message = f"{name} is {part}.{first} too"
            fix = f"Give each of {part} a {field} of its own."
            yield ContractFault(ContractCode.DUPLICATE_NAME, (part, at, field), message, fix)


def _statuses(raw: dict[str, Any]) -> Iterator[ContractFault]:
    for at, endpoint in enumerate(raw.get("endpoints", ())):
        for status in endpoint.get("responses", {}):
            if not _STATUS.fullmatch(status):
                where: tuple[Step, ...] = ("endpoints", at, "responses", status)
                message = f"{status} of {endpoint['path']} is no HTTP status"
                fix = "Use 200, 2XX or default."
                yield ContractFault(ContractCode.INVALID_STATUS, where, message, fix)


def _is_defined(reference: str, raw: dict[str, Any], schema: Any, units: Collection[str]) -> bool:
    if (unit := unit_named_in(reference)) is not None and unit in units:
        return True
    document, _, pointer = reference.partition("#")
    if document.startswith(("http:", "https:", "urn:", "file:")):
        return False
    name = _unescaped(reference.rpartition("/")[2])
    if name in raw.get("types", {}):
        return True
    return not document and (_leads_somewhere(pointer, schema) or _leads_somewhere(pointer, raw))


def _leads_somewhere(pointer: str, node: Any) -> bool:
    if pointer and not pointer.startswith("/"):
        return False
    for part in map(_unescaped, pointer.split("/")[1:]):
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif isinstance(node, list) and part.isdecimal() and int(part) < len(node):
            node = node[int(part)]
        else:
            return False
    return True


def _unescaped(part: str) -> str:
    return unquote(part).replace("~1", "/").replace("~0", "~")


def _undefined(steps: tuple[Step, ...], reference: str, raw: dict[str, Any]) -> ContractFault:
    known = ", ".join(sorted(raw.get("types", {}))[:8]) or "none"
    message = f"{written(steps)}: nobody defines {reference[:120]}"
    return ContractFault(
        ContractCode.UNDEFINED_TYPE, steps, message, f"Add it to types. There: {known}."
    )
