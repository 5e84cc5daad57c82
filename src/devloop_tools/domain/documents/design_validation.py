"""Whether a design holds together: its units, what they promise, need and are for.

What is wrong with its pages as pages is found as in every site (`validation`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import orjson
from pydantic import ValidationError

from devloop_tools.domain.contracts.contract import (
    CONTRACT_ELEMENT,
    Contract,
    contract_in,
    hash_of,
    parse_contract,
)
from devloop_tools.domain.contracts.faults import (
    contract_faults,
    references_in,
    schemas_in,
    unit_named_in,
)
from devloop_tools.domain.contracts.json_places import Step, offset_of
from devloop_tools.domain.documents.contract_element import contract_places
from devloop_tools.domain.documents.findings import Findings, SiteValidated
from devloop_tools.domain.documents.page_facts import PageFacts
from devloop_tools.domain.documents.prd_references import PrdReferences
from devloop_tools.domain.documents.site import UNITS_FOLDER, SiteName
from devloop_tools.domain.documents.units import UNITS_FILE, Unit, Units, units_in
from devloop_tools.domain.documents.validation import SiteValidator
from devloop_tools.domain.html.markup import LineNumbers
from devloop_tools.domain.html.outline import Span
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_CYCLES = 50
MAX_FAULTS = 50
"""Faults in the form of one contract that are told."""

_UNITS_PAGE = "units.json"
_WRITE = "Call write_mvcp_page for the unit."
_PLACEHOLDER = re.compile(r"\{\{\s*(?:port|unit)\.([^{}\s]{1,80}?)(?:\.(?:url|port|host))?\s*\}\}")
_PROBES = frozenset(
    ["", "health", "healthz", "ready", "readyz", "live", "livez", "metrics", "ping"]
)


@dataclass(frozen=True, slots=True)
class _Promise:
    """A unit's contract, and where its JSON stands in the page."""

    unit: Unit
    page: PageFacts
    raw: dict[str, Any]
    place: Span | None

    def line(self, steps: tuple[Step, ...]) -> int:
        if self.place is None:
            return 1
        inside = offset_of(self.place.of(self.page.source), steps)
        return self.page.lines.at(self.place.start + inside)


class DesignValidator:
    """Checks the SDD site; changes nothing."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._findings = Findings(SiteName.SDD)
        self._site = SiteValidator(workspace, SiteName.SDD, self._findings)

    def validate(
        self, report: Callable[[float, float | None, str], None]
    ) -> SiteValidated | Refused:
        """Every finding, errors first. Raises ExpectedFailure where units.json can't be read."""
        content = self._workspace.read(UNITS_FILE)
        if content is None:
            return refused(f"{UNITS_FILE}: there is none", "Call bootstrap_sdd_site first.")
        units = units_in(content, UNITS_FILE)
        fault = self._site.check(report)
        if fault is not None:
            return fault
        _Design(self._workspace, self._site, self._findings, units, content.decode()).check()
        return self._findings.verdict(self._site.count, strict=False)


class _Design:
    def __init__(
        self,
        workspace: Workspace,
        site: SiteValidator,
        findings: Findings,
        units: Units,
        source: str,
    ) -> None:
        self._prd = PrdReferences(workspace)
        self._site = site
        self._findings = findings
        self._units = units
        self._source = source.removeprefix("\ufeff")
        self._lines = LineNumbers(self._source)
        self._known = units.by_id()

    def check(self) -> None:
        for at, unit in enumerate(self._units.units):
            self._check_entry(at, unit)
        self._check_cycles()
        pages = {
            unit.id: self._site.path_of(unit.id) or f"{UNITS_FOLDER}/{unit.id}.html"
            for unit in self._units.units
        }
        owners = {path: unit_id for unit_id, path in pages.items()}
        promises: dict[str, _Promise] = {}
        for at, unit in enumerate(self._units.units):
            if promise := self._promise(at, unit, pages[unit.id]):
                promises[unit.id] = promise
        for promise in promises.values():
            self._check_contract(promise, promises)
        self._check_shared(promises)
        for path, page in self._site.pages.items():
            owner = owners.get(path)
            if owner is None and path.startswith(f"{UNITS_FOLDER}/"):
                message = "no unit of units.json has this page"
                fix = "Add the unit with bootstrap_sdd_site, or archive and remove the page."
                self._findings.error("undeclared-unit", path, 1, message, fix)
            self._check_placeholders(page, owner)

    def _line(self, *steps: Step) -> int:
        return self._lines.at(offset_of(self._source, steps))

    def _check_entry(self, at: int, unit: Unit) -> None:
        for place, need in enumerate(unit.depends_on):
            if need not in self._known:
                line = self._line("units", at, "depends_on", place)
                message = f"{unit.id} depends on {need}, which is no unit"
                fix = "Add the unit with bootstrap_sdd_site, or take it out of depends_on."
                self._findings.error("unknown-dependency", _UNITS_PAGE, line, message, fix)
        for place, reference in enumerate(unit.prd_refs):
            if fault := self._prd.fault(reference):
                line = self._line("units", at, "prd_refs", place)
                message = f"{unit.id} is for {reference}: {fault.message}"
                self._findings.error("broken-prd-ref", _UNITS_PAGE, line, message, fault.fix)

    def _check_cycles(self) -> None:
        graph = {
            unit.id: [need for need in unit.depends_on if need in self._known]
            for unit in self._units.units
        }
        places = {unit.id: at for at, unit in enumerate(self._units.units)}
        for _ in range(MAX_CYCLES):
            try:
                TopologicalSorter(graph).prepare()
            except CycleError as exc:
                circle = list(reversed(exc.args[1]))
                user, need = circle[0], circle[1]
                graph[user].remove(need)
                place = self._units.units[places[user]].depends_on.index(need)
                line = self._line("units", places[user], "depends_on", place)
                message = f"depends_on goes in a circle: {' → '.join(circle)}"
                fix = "Take one of these dependencies out."
                self._findings.error("dependency-cycle", _UNITS_PAGE, line, message, fix)
            else:
                return

    def _promise(self, at: int, unit: Unit, path: str) -> _Promise | None:
        page = self._site.pages.get(path)
        if page is None:
            if self._site.path_of(unit.id) is None:  # else the site's own check tells it
                message = f"{unit.id} has no page {path}"
                line = self._line("units", at, "id")
                self._findings.error("missing-page", _UNITS_PAGE, line, message, _WRITE)
            return None
        places = contract_places(page.tokens)
        place = places[0] if places else None
        if place is None and f"id={CONTRACT_ELEMENT}" not in page.source.replace('"', ""):
            self._tell_missing(at, unit, path)
            return None
        try:
            raw = contract_in(page.source.encode(), f"{SiteName.SDD}/{path}")
            promise = _Promise(unit, page, raw, place)
            if not self._has_form(promise):
                return None
            found = hash_of(raw).hash
        except ExpectedFailure as exc:
            line = page.lines.at(_fault_at(page, place)) if place else 1
            self._findings.error("malformed-contract", path, line, exc.reason, _WRITE)
            return None
        if found != unit.contract_hash:
            line = self._line("units", at, "contract_hash")
            message = f"{unit.id}: {unit.contract_hash or 'null'}, but its page has {found}"
            self._findings.error("hash-mismatch", _UNITS_PAGE, line, message, _WRITE)
        return promise

    def _tell_missing(self, at: int, unit: Unit, path: str) -> None:
        if unit.contract_hash is None:
            message = f"{unit.id} promises nothing yet: its page carries no contract"
            self._findings.warning("no-contract", path, 1, message, _WRITE)
            return
        line = self._line("units", at, "contract_hash")
        message = f"{unit.id}: {unit.contract_hash}, but {path} carries no contract"
        self._findings.error("hash-mismatch", _UNITS_PAGE, line, message, _WRITE)

    def _has_form(self, promise: _Promise) -> bool:
        """Whether it is a contract by its form; tells of each place where it isn't."""
        path = promise.page.path
        try:
            Contract.model_validate(promise.raw)
        except ValidationError as exc:
            faults = exc.errors(include_url=False, include_input=False)[:MAX_FAULTS]
            # A value that may be of several types has a fault for each: the first says it.
            for line, fault in {promise.line(f["loc"]): f for f in reversed(faults)}.items():
                where = ".".join(map(str, fault["loc"]))
                message = f"{where or 'the whole'}: {fault['msg']}"
                self._findings.error("malformed-contract", path, line, message, _WRITE)
            return False
        parse_contract(promise.raw, path)
        return True

    def _check_contract(self, promise: _Promise, promises: Mapping[str, _Promise]) -> None:
        path, unit, raw = promise.page.path, promise.unit, promise.raw
        if raw["unit"] != unit.id:
            message = f"the contract is of {raw['unit']}, the page of {unit.id}"
            line = promise.line(("unit",))
            self._findings.error("wrong-unit", path, line, message, _WRITE)
        for fault in contract_faults(raw, self._known):
            line = promise.line(fault.steps)
            self._findings.error(fault.code, path, line, fault.message, fault.fix)
        for steps, used in _units_in(raw):
            self._check_use(path, promise.line(steps), unit.id, used)
        for steps, reference in _foreign_references(raw):
            other, _, pointer = reference.partition("#/types/")
            theirs = promises.get(other)
            if theirs is not None and pointer not in theirs.raw.get("types", {}):
                message = f"{other} defines no type {pointer}"
                fix = "Add it to that unit's types, or use one that is there."
                self._findings.error("undefined-type", path, promise.line(steps), message, fix)

    def _check_use(self, path: str, line: int, user: str | None, used: str) -> None:
        if used not in self._known:
            message = f"{used} is used here, and is no unit of units.json"
            fix = "Add it with bootstrap_sdd_site, or name a unit that is there."
            self._findings.error("undeclared-unit", path, line, message, fix)
        elif user not in (None, used) and used not in self._known[user or ""].depends_on:
            message = f"{user} uses {used}, and its depends_on doesn't say so"
            fix = f"Add {used} to depends_on of {user} in units.json."
            self._findings.error("undeclared-dependency", path, line, message, fix)

    def _check_placeholders(self, page: PageFacts, owner: str | None) -> None:
        for found in _PLACEHOLDER.finditer(page.source):
            line = page.lines.at(found.start())
            self._check_use(page.path, line, owner, found[1])

    def _check_shared(self, promises: Mapping[str, _Promise]) -> None:
        seen: dict[tuple[str, str], str] = {}
        for unit_id, promise in promises.items():
            for at, endpoint in enumerate(promise.raw.get("endpoints", ())):
                method, path = endpoint["method"].upper(), endpoint["path"]
                if path.rpartition("/")[2] in _PROBES:
                    continue
                first = seen.setdefault((method, path), unit_id)
                if first == unit_id or self._are_linked(first, unit_id):
                    continue
                line = promise.line(("endpoints", at, "path"))
                message = f"{first} offers {method} {path} too"
                fix = "Say in depends_on who passes calls on, or let one unit offer it."
                self._findings.warning("shared-endpoint", promise.page.path, line, message, fix)

    def _are_linked(self, one: str, other: str) -> bool:
        return one in self._known[other].depends_on or other in self._known[one].depends_on


def _units_in(raw: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], str]]:
    """The units that a contract names as used, and where."""
    for field in ("uses", "depends_on"):
        named = raw.get(field)
        for at, name in enumerate(named if isinstance(named, list) else ()):
            if isinstance(name, str):
                yield (field, at), name
    for steps, reference in _foreign_references(raw):
        yield steps, reference.partition("#")[0]


def _foreign_references(raw: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], str]]:
    for steps, schema in schemas_in(raw):
        for inner, reference in references_in(schema):
            if unit_named_in(reference):
                yield (*steps, *inner), reference


def _fault_at(page: PageFacts, place: Span) -> int:
    """Where JSON that can't be read goes wrong."""
    try:
        orjson.loads(place.of(page.source))
    except orjson.JSONDecodeError as exc:
        return place.start + exc.pos
    return place.start
