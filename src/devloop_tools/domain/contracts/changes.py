"""What changed between two contracts of a unit, and which changes break those who call it.

A caller sends requests and arguments, and reads responses, results and events: what it sends is
broken by narrowing, what it reads by widening (see `schema_changes`). What is gone breaks; what is
added does not, but for what must be given.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.contracts.contract import (
    Contract,
    Endpoint,
    Function,
    JsonSchema,
    Parameter,
    parse_contract,
)
from devloop_tools.domain.contracts.schema_changes import SchemaChange, schema_changes

Named = TypeVar("Named")

_PATH_PARAMETER = re.compile(r"\{[^/{}]*\}|(?<=/):[^/]+")
_READ_ONLY = frozenset(["GET", "HEAD", "OPTIONS"])


class ContractChange(BaseModel):
    """`where` names a part of the contract: `POST /todos request.title`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    where: str
    what: str
    breaking: bool


def contract_changes(before: dict[str, Any], after: dict[str, Any]) -> list[ContractChange]:
    """Every change that a caller may notice, in the contract's order; none if there is none.

    Raises ExpectedFailure where one of them is no contract.
    """
    old = parse_contract(before, "the contract before")
    new = parse_contract(after, "the contract after")
    return list(_Comparison(old, new).changes())


class _Comparison:
    def __init__(self, old: Contract, new: Contract) -> None:
        self._old = old
        self._new = new

    def changes(self) -> Iterator[ContractChange]:
        yield from self._of_head()
        yield from self._of_endpoints()
        yield from self._of_functions()
        yield from self._of_events()
        yield from self._of_errors()
        yield from self._of_unused_types()

    def _of_head(self) -> Iterator[ContractChange]:
        for name in ("unit", "version"):
            was, now = getattr(self._old, name), getattr(self._new, name)
            if was != now:
                yield _harmless(name, f"changed from {was} to {now}")
        yield from _of_further_fields("contract", self._old, self._new)

    def _of_endpoints(self) -> Iterator[ContractChange]:
        old, new = _by(self._old.endpoints, _route), _by(self._new.endpoints, _route)
        for was, now, _ in _pairs(old, new):
            if was and now:
                yield from self._of_endpoint(was, now)
            elif present := was or now:
                yield _came_or_went(_name(present), "endpoint", now)

    def _of_endpoint(self, was: Endpoint, now: Endpoint) -> Iterator[ContractChange]:
        name = _name(now)
        if was.path != now.path:
            yield _harmless(name, f"path parameters renamed: it was {was.path}")
        if was.summary != now.summary:
            yield _harmless(name, "summary changed")
        yield from self._of_request(f"{name} request", was, now)
        for status in dict.fromkeys((*was.responses, *now.responses)):
            where = f"{name} response {status}"
            if status not in now.responses:
                yield _breaking(where, "response status removed")
            elif status not in was.responses:
                yield _harmless(where, "response status added")
            else:
                yield from self._read(where, was.responses[status], now.responses[status])
        yield from _of_further_fields(name, was, now)

    def _of_request(self, where: str, was: Endpoint, now: Endpoint) -> Iterator[ContractChange]:
        if was.request is None and now.request is not None:
            harmless = isinstance(now.request, dict) and not now.request.get("required")
            may_be_absent = now.method.upper() in _READ_ONLY or _is_object(now.request)
            fine = now.request is True or (harmless and may_be_absent)
            yield ContractChange(where=where, what="request added", breaking=not fine)
        elif was.request is not None and now.request is None:
            yield _harmless(where, "request removed")
        else:
            yield from self._sent(where, was.request, now.request)

    def _of_functions(self) -> Iterator[ContractChange]:
        old = _by(self._old.functions, lambda function: function.name)
        new = _by(self._new.functions, lambda function: function.name)
        for was, now, name in _pairs(old, new):
            if was is None or now is None:
                yield _came_or_went(f"{name}()", "function", now)
                continue
            yield from self._of_parameters(f"{name}()", was, now)
            yield from self._read(f"{name}() returns", was.returns, now.returns)
            yield from _of_further_fields(f"{name}()", was, now)

    def _of_parameters(self, name: str, was: Function, now: Function) -> Iterator[ContractChange]:
        old = _by(was.params, lambda parameter: parameter.name)
        new = _by(now.params, lambda parameter: parameter.name)
        for left, right, parameter in _pairs(old, new):
            where = f"{name} {parameter}"
            if right is None:
                yield _breaking(where, "parameter removed")
            elif left is None:
                yield _added_parameter(where, right, [p.name for p in now.params], old)
            else:
                yield from self._sent(where, left.schema_, right.schema_)
                if right.must_be_given and not left.must_be_given:
                    yield _breaking(where, "must be given now")
                elif left.must_be_given and not right.must_be_given:
                    yield _harmless(where, "may be left out now")
        kept_old = [parameter for parameter in old if parameter in new]
        kept_new = [parameter for parameter in new if parameter in old]
        if kept_old != kept_new:
            yield _breaking(name, f"order of parameters changed to {', '.join(new)}")

    def _of_events(self) -> Iterator[ContractChange]:
        old = _by(self._old.events, lambda event: event.name)
        new = _by(self._new.events, lambda event: event.name)
        for was, now, name in _pairs(old, new):
            if was is None or now is None:
                yield _came_or_went(f"event {name}", "event", now)
                continue
            yield from self._read(f"event {name}", was.payload, now.payload)
            yield from _of_further_fields(f"event {name}", was, now)

    def _of_errors(self) -> Iterator[ContractChange]:
        old = _by(self._old.errors, lambda error: str(error.code))
        new = _by(self._new.errors, lambda error: str(error.code))
        for was, now, name in _pairs(old, new):
            if was is None or now is None:
                yield _came_or_went(f"error {name}", "error", now)
                continue
            if was.when != now.when:
                yield _harmless(f"error {name}", "when it happens is described differently")
            yield from _of_further_fields(f"error {name}", was, now)

    def _of_unused_types(self) -> Iterator[ContractChange]:
        """Types that are used are compared where they are used."""
        used = _types_used(self._old) | _types_used(self._new)
        for was, now, name in _pairs(self._old.types, self._new.types):
            if name in used or was == now:
                continue
            word = "added" if was is None else "removed" if now is None else "changed"
            yield _harmless(f"type {name}", f"{word}; nothing that callers use refers to it")

    def _sent(
        self, where: str, was: JsonSchema | None, now: JsonSchema | None
    ) -> Iterator[ContractChange]:
        for change in self._of_schema(was, now):
            yield _located(where, change, breaking=change.narrows)

    def _read(
        self, where: str, was: JsonSchema | None, now: JsonSchema | None
    ) -> Iterator[ContractChange]:
        for change in self._of_schema(was, now):
            yield _located(where, change, breaking=change.widens)

    def _of_schema(self, was: JsonSchema | None, now: JsonSchema | None) -> list[SchemaChange]:
        return schema_changes(was, now, self._old.types, self._new.types)


def _by(parts: Iterable[Named], name_of: Any) -> dict[str, Named]:
    """Parts by name; of two with one name the first counts."""
    named: dict[str, Named] = {}
    for part in parts:
        named.setdefault(name_of(part), part)
    return named


def _pairs(
    old: Mapping[str, Named], new: Mapping[str, Named]
) -> Iterator[tuple[Named | None, Named | None, str]]:
    for name in dict.fromkeys((*old, *new)):
        yield old.get(name), new.get(name), name


def _route(endpoint: Endpoint) -> str:
    """What a request is routed by: the names of path parameters don't matter."""
    return f"{endpoint.method.upper()} {_PATH_PARAMETER.sub('{}', endpoint.path)}"


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.method.upper()} {endpoint.path}"


def _is_object(schema: JsonSchema) -> bool:
    return isinstance(schema, dict) and schema.get("type", "object") == "object"


def _added_parameter(
    where: str, parameter: Parameter, order: list[str], old: Mapping[str, Parameter]
) -> ContractChange:
    if parameter.must_be_given:
        return _breaking(where, "parameter added that must be given")
    behind = order[order.index(parameter.name) + 1 :]
    if any(name in old for name in behind):
        return _breaking(where, "optional parameter added before others")
    return _harmless(where, "optional parameter added")


def _of_further_fields(where: str, was: BaseModel, now: BaseModel) -> Iterator[ContractChange]:
    """Fields that the contract's form doesn't know say something to people alone."""
    old, new = was.model_extra or {}, now.model_extra or {}
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield _harmless(where, f"{name} changed")


def _types_used(contract: Contract) -> set[str]:
    parts: list[BaseModel] = [
        *contract.endpoints,
        *contract.functions,
        *contract.events,
        *contract.errors,
    ]
    waiting = _references([part.model_dump(by_alias=True) for part in parts])
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting |= _references(contract.types.get(name))
    return used


def _references(node: Any) -> set[str]:
    found: set[str] = set()
    waiting = [node]
    while waiting:
        match waiting.pop():
            case dict() as schema:
                if isinstance(reference := schema.get("$ref"), str):
                    found.add(reference.rpartition("/")[2])
                waiting.extend(schema.values())
            case list() as items:
                waiting.extend(items)
    return found


def _came_or_went(where: str, kind: str, now: object) -> ContractChange:
    if now is None:
        return _breaking(where, f"{kind} removed")
    return _harmless(where, f"{kind} added")


def _located(where: str, change: SchemaChange, *, breaking: bool) -> ContractChange:
    place = change.where if change.where.startswith("[") else f".{change.where}"
    return ContractChange(where=(where + place).rstrip("."), what=change.what, breaking=breaking)


def _breaking(where: str, what: str) -> ContractChange:
    return ContractChange(where=where, what=what, breaking=True)


def _harmless(where: str, what: str) -> ContractChange:
    return ContractChange(where=where, what=what, breaking=False)
