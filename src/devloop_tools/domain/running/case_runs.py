"""Runs cases against the project's own units, and nobody else's port.

One of the modules of the domain that wait, with anyio.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.to_thread
import orjson
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done
from devloop_tools.domain.running.addresses import LocalUrl, local_url
from devloop_tools.domain.running.case_files import chosen_cases
from devloop_tools.domain.running.case_model import Case
from devloop_tools.domain.running.health import Reporter
from devloop_tools.domain.running.judging import (
    Expectation,
    Expected,
    header,
    judged,
    selected,
    shown,
    text_of,
)
from devloop_tools.domain.running.known_values import SavedValues, known_values
from devloop_tools.domain.running.placeholders import Filling
from devloop_tools.domain.running.ports import PortLeases, is_listened_on
from devloop_tools.domain.running.probes import NoAnswer, Request, Response, sent
from devloop_tools.domain.running.processes import listeners, listens, tree
from devloop_tools.domain.running.records import UnitRecords, how_it_ended
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_SAVED_BYTES = 64 * 1024


class CaseResult(BaseModel):
    """One case: every expectation judged, or the reason why nothing could be."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str
    passed: bool
    reason: str | None = None
    url: str | None = None
    status: int | None = None
    location: str | None = None
    duration_ms: int | None = None
    expectations: list[Expectation] = Field(default_factory=list)
    body: str | None = None
    saved: list[str] = Field(default_factory=list)


class CasesRun(Done):
    """`passed`: all of them did."""

    passed: bool
    total: int
    failed: int
    cases: list[CaseResult]


@dataclass(frozen=True, slots=True)
class _Filled:
    """A case whose placeholders have their values."""

    request: Request
    expected: Expected


class CaseRuns:
    """Runs the cases of one call."""

    def __init__(
        self, workspace: Workspace, origin: Origin, events: Emitter, database: Database
    ) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events
        self._database = database
        self._leases = PortLeases(database)
        self._saved = SavedValues(database)
        self._records = UnitRecords(workspace.root, workspace.agent)

    async def run(
        self,
        case: Case | None,
        path: str | None,
        variables: Mapping[str, Any],
        timeout_s: float,
        reporter: Reporter,
    ) -> CasesRun:
        """The case, or those of the file, in turn. Raises ExpectedFailure before any is sent.

        One that could not be sent fails with its reason; the rest go on.
        """
        choose = partial(chosen_cases, self._workspace, case, path, variables)
        cases, variables = await anyio.to_thread.run_sync(choose)
        results: list[CaseResult] = []
        for one in cases:
            work = partial(self._result, one, variables, timeout_s)
            result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
            results.append(result)
            word = "passed" if result.passed else "failed"
            reporter.report(len(results), len(cases), f"{one.id}: {word}")
        failed = len([result for result in results if not result.passed])
        return CasesRun(passed=failed == 0, total=len(results), failed=failed, cases=results)

    def _result(self, case: Case, variables: Mapping[str, Any], timeout_s: float) -> CaseResult:
        try:
            result = self._judged(case, variables, timeout_s)
        except ExpectedFailure as exc:
            result = CaseResult(id=case.id, passed=False, reason=f"{exc.reason} {exc.hint}")
        fact = {"id": case.id, "passed": result.passed}
        self._events.emit(self._origin, EventType.CASE_FINISHED, fact)
        return result

    def _judged(self, case: Case, variables: Mapping[str, Any], timeout_s: float) -> CaseResult:
        filled = self._filled(case, variables)
        url = filled.request.url
        self._require_own_port(url)
        try:
            response = sent(filled.request, timeout_s)
        except NoAnswer as exc:
            reason = f"no answer: {exc}{self._what_became_of(url.address.port)}"
            return CaseResult(id=case.id, passed=False, reason=reason, url=url.text)
        expectations = judged(filled.expected, response)
        values, missing = _selected(case.save, response)
        if not missing:
            self._saved.replace(case.id, values)
        expectations += missing
        passed = all(expectation.passed for expectation in expectations)
        return CaseResult(
            id=case.id,
            passed=passed,
            url=url.text,
            status=response.status,
            location=header(response, "Location"),
            duration_ms=response.duration_ms,
            expectations=expectations,
            body=None if passed else shown(text_of(response)),
            saved=list(values),
        )

    def _filled(self, case: Case, variables: Mapping[str, Any]) -> _Filled:
        filling = Filling(known_values(self._workspace, self._database, variables))
        request = filling.fill(case.request.model_dump(by_alias=True), "request")
        expect = filling.fill(case.expect.model_dump(by_alias=True), "expect")
        if filling.unresolved:
            first = filling.unresolved[0]
            raise ExpectedFailure(
                f"{first.place}: {{{{{first.name}}}}}: {first.reason}.",
                "parse_placeholder tells what is known.",
            )
        url = local_url(str(request["url"]), "request.url")
        return _Filled(_request(request, url), Expected(**_expected(expect)))

    def _require_own_port(self, url: LocalUrl) -> None:
        """Raises ExpectedFailure where the port is not leased, or not a unit's of this project."""
        port = url.address.port
        if not any(lease.port == port for lease in self._leases.live()):
            raise ExpectedFailure(
                f"request.url: port {port} is not leased in this project.",
                "Cases are sent to the project's own units: use {{unit.NAME.url}}.",
            )
        living = [record for record in self._records.all() if record.lives]
        if any(listens(tree(record.keeper.pid), port) is not False for record in living):
            return
        if not is_listened_on(port):
            return
        who = ", ".join(map(str, listeners(port))) or "somebody who can't be seen"
        raise ExpectedFailure(
            f"request.url: port {port} is held by {who}, who is no unit of this project.",
            "End that process if it is yours, or give the unit another port.",
        )

    def _what_became_of(self, port: int) -> str:
        record = self._records.on_port(port)
        if record is None or record.lives:
            return ""
        lines = "".join(f"\n{line}" for line in self._records.last_lines(record.unit_id))
        return f"; {how_it_ended(record)}{lines}"


def _request(filled: Mapping[str, Any], url: LocalUrl) -> Request:
    if filled["json"] is not None and filled["body"] is not None:
        raise ExpectedFailure("request: json and body exclude each other.", "Give one of them.")
    headers = {name: str(value) for name, value in filled["headers"].items()}
    if odd := [name for name, value in headers.items() if not _is_header(name, value)]:
        raise ExpectedFailure(
            f"request.headers: {odd[0]} can't be sent as a header.",
            "Names are ASCII letters, digits and -, values Latin-1 on one line.",
        )
    body = None
    if filled["json"] is not None:
        body = orjson.dumps(filled["json"])
        names = {name.lower() for name in headers}
        headers |= {} if "content-type" in names else {"Content-Type": "application/json"}
    elif filled["body"] is not None:
        body = str(filled["body"]).encode()
    return Request(filled["method"], url, headers, body)


def _is_header(name: str, value: str) -> bool:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return plain and not any(char in value for char in "\r\n\0")


def _expected(filled: Mapping[str, Any]) -> dict[str, Any]:
    contains = filled["body_contains"]
    return {
        "status": filled["status"],
        "headers": {name: str(value) for name, value in filled["headers"].items()},
        "json": filled["json"],
        "schema": filled["schema"],
        "body_contains": None if contains is None else str(contains),
    }


def _selected(
    save: Mapping[str, str], response: Response
) -> tuple[dict[str, Any], list[Expectation]]:
    values: dict[str, Any] = {}
    missing = []
    for name, selector in save.items():
        try:
            value = selected(selector, response)
            if len(orjson.dumps(value)) > MAX_SAVED_BYTES:
                raise ValueError(f"it is longer than {MAX_SAVED_BYTES} bytes")
            values[name] = value
        except (ValueError, TypeError) as exc:
            found = Expectation(
                what=f"save.{name}", passed=False, expected=selector, actual=str(exc)
            )
            missing.append(found)
    return values, missing
