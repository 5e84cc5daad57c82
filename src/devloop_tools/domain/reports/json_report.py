"""Reads the JSON of Vitest and Jest."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from devloop_tools.domain.reports.error_text import ErrorRead, read_error
from devloop_tools.domain.reports.json_events import LEVELS, JsonBroken, JsonEvents, new_builder
from devloop_tools.domain.reports.model import Kind, Snapshots, SuiteKind
from devloop_tools.domain.reports.tally import MAX_LISTED, Place, Tally

MAX_NAMES = 100
MAX_BROKEN = 50
"""Objects before the report that are tried, of those that don't end."""

MAX_BUILT = 4_000_000
"""Characters and values of one test that are kept; what it has beyond is left out."""

_START = re.compile(r'\{\s*"(?:num[A-Z]\w*|success|startTime|snapshot|testResults|openHandles)"')
_PASSED = frozenset(("passed",))
_SKIPPED = frozenset(("skipped", "pending", "disabled", "focused"))
_NO_REASON = "the report gives no reason; see the runner's output"

Json = dict[str, Any]


def start_of_report(text: str) -> int | None:
    """Where the object with the results starts in `text`, which may hold other output too."""
    if '"testResults"' not in text:
        return None
    last = None
    at = broken = 0
    while broken < MAX_BROKEN and (match := _START.search(text, at)):
        at = match.end()
        end = end_of_object(text, match.start())
        if end is None:
            broken += 1
            if last is None and '"testResults"' in text[match.start() :]:
                last = match.start()
        elif '"testResults"' in text[match.start() : end]:
            return match.start()
        else:
            at = end
    return last


def end_of_object(text: str, start: int) -> int | None:
    """Where the JSON value at `start` ends, None where it is broken."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


@dataclass
class _File:
    """One entry of testResults, while it is read; its name comes last."""

    name: str = ""
    status: str = ""
    message: str = ""
    count: int = 0
    failed: int = 0
    failing: list["_Failing"] = field(default_factory=list)
    flaky: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Failing:
    full_name: str
    first: ErrorRead
    errors: int
    place: Place | None


class JsonReport:
    """A reader that is fed the text from the start of the object on."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        tally.sees_unhandled = False
        self._events = JsonEvents()
        self._builder: Any = None
        self._built_depth = self._built_size = 0
        self._path: list[str] = []
        self._file = _File()
        self._started = self._ended = 0.0
        self._success: bool | None = None

    @property
    def ended(self) -> bool:
        """Whether the whole object was read."""
        return self._events.ended

    def feed(self, text: str) -> None:
        if self.tally.truncated:
            return
        try:
            for event, value in self._events.feed(text):
                self._take(event, value)
        except JsonBroken:
            self.tally.truncated = True

    def close(self) -> None:
        if not self.tally.truncated:
            try:
                self._events.close()
            except JsonBroken:
                self.tally.truncated = True
        if self._file.count:
            self._end_file()
        if self._ended > self._started > 0:
            self.tally.duration_ms = round(self._ended - self._started, 3)
        if self._success is False:
            self.tally.says_failed = "the report says success: false"

    def _take(self, event: str, value: Any) -> None:
        if self._builder is not None:
            self._build(event, value)
        elif event == "map_key":
            self._path[-1] = value
        elif event in ("start_map", "start_array"):
            self._open(event)
        elif event in ("end_map", "end_array"):
            self._path.pop()
            if event == "end_map" and self._path == ["testResults", ""]:
                self._end_file()
        else:
            self._scalar(value)

    def _open(self, event: str) -> None:
        is_test = len(self._path) == 4 and self._path[2] == "assertionResults"
        if event == "start_map" and (is_test or self._path == ["snapshot"]):
            self._builder, self._built_depth, self._built_size = new_builder(), 0, 0
            self._build(event, None)
            return
        self._path.append("")

    def _build(self, event: str, value: Any) -> None:
        self._built_size += len(value) + 50 if isinstance(value, str) else 50
        if self._built_size < MAX_BUILT:
            self._builder.event(event, value)
        self._built_depth += LEVELS.get(event, 0)
        if self._built_depth == 0:
            built, self._builder = self._builder.value, None
            if self._path == ["snapshot"]:
                self._take_snapshots(built)
            else:
                self._take_test(built)

    def _scalar(self, value: Any) -> None:
        if len(self._path) == 3 and self._path[0] == "testResults":
            match self._path[2], value:
                case (("name" | "testFilePath"), str()):
                    self._file.name = value
                case "status", str():
                    self._file.status = value
                case (("message" | "failureMessage"), str()):
                    self._file.message = value
                case "endTime", int() | float():
                    self._ended = max(self._ended, float(value))
        elif self._path == ["success"] and isinstance(value, bool):
            self._success = value
        elif self._path == ["startTime"] and isinstance(value, int | float):
            self._started = float(value)
        elif self._path == ["numRuntimeErrorTestSuites"]:
            self.tally.tool, self.tally.sees_unhandled = "jest", True

    def _take_snapshots(self, found: Json) -> None:
        def count(name: str) -> int:
            value = found.get(name)
            return value if isinstance(value, int) else 0

        names = [
            str(key)
            for entry in found.get("uncheckedKeysByFile") or []
            if isinstance(entry, dict)
            for key in entry.get("keys") or []
        ]
        self.tally.snapshots = Snapshots(
            written=count("added"),
            matched=count("matched"),
            mismatched=count("unmatched"),
            obsolete=count("unchecked"),
            obsolete_names=names[:MAX_NAMES],
        )

    def _take_test(self, test: Json) -> None:
        file = self._file
        file.count += 1
        status = test.get("status")
        if status == "failed":
            file.failed += 1
            if len(file.failing) + len(self.tally.failures) < MAX_LISTED:
                file.failing.append(_failing(test))
        elif status in _PASSED:
            self.tally.passed += 1
            if _retries(test) and len(file.flaky) < MAX_LISTED:
                file.flaky.append((_full_name(test), _retries(test)))
        elif status == "todo":
            self.tally.todo += 1
        elif status in _SKIPPED:
            self.tally.skipped += 1

    def _end_file(self) -> None:
        file, self._file = self._file, _File()
        for test in file.failing:
            # A report that breaks off has not come to the file's name.
            name = file.name or next((f.file for f in test.first.stack[::-1] if f.own), "")
            self.tally.add_failure(
                name, test.full_name, test.first, errors=test.errors, place=test.place
            )
        self.tally.leave_out(file.failed - len(file.failing))
        for full_name, retries in file.flaky:
            self.tally.add_flaky(file.name, full_name, retries)
        if file.status == "failed" and not file.failed:
            kind = SuiteKind.HOOK if file.count else SuiteKind.LOAD
            error = read_error(file.message) if file.message else ErrorRead(_NO_REASON, Kind.ERROR)
            self.tally.add_suite_error(kind, file.name, "", error)


def _failing(test: Json) -> _Failing:
    messages = _messages(test)
    first = read_error(messages[0]) if messages else ErrorRead("", Kind.ERROR)
    return _Failing(_full_name(test), first, max(1, len(messages)), _location(test, first))


def _messages(test: Json) -> list[str]:
    found = test.get("failureMessages")
    return [str(message) for message in found] if isinstance(found, list) else []


def _retries(test: Json) -> int:
    """How often a test that passed had failed before: Vitest keeps the errors, Jest counts."""
    invocations = test.get("invocations")
    return max(invocations - 1 if isinstance(invocations, int) else 0, len(_messages(test)))


def _full_name(test: Json) -> str:
    above = test.get("ancestorTitles")
    names = [str(name) for name in above if name] if isinstance(above, list) else []
    return " > ".join([*names, str(test.get("title", ""))])


def _location(test: Json, first: ErrorRead) -> Place | None:
    """Vitest 1 gives no stack, but the line of the error, be it in this file or in another.

    Only of an assertion is it likely that it stands in the test.
    """
    place = test.get("location")
    if not isinstance(place, dict) or first.kind not in (Kind.ASSERTION, Kind.SNAPSHOT):
        return None
    line, column = place.get("line"), place.get("column")
    return (line, column if isinstance(column, int) else None) if isinstance(line, int) else None
