"""Reads JUnit's XML as Vitest and pytest write it. Entities and document types are refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from devloop_tools.domain.reports.error_text import ErrorRead, read_error
from devloop_tools.domain.reports.model import Kind, SuiteKind
from devloop_tools.domain.reports.places import Places
from devloop_tools.domain.reports.stack import Frame, frames_in
from devloop_tools.domain.reports.tally import MAX_LISTED, Tally
from devloop_tools.storage.errors import ExpectedFailure

MAX_DEPTH = 100
MAX_KEPT = 200_000
"""Characters of one error's text that are kept."""

LONGEST_TAG = 8 * 1024 * 1024
"""Characters that may pass without a tag or a text: the parser holds them in memory."""

_ROOT = re.compile(r"<\?xml\b|<testsuites?\b")
_UNHANDLED = "vitest unhandled errors"
MAX_NAMES = 10_000
_SUITE_COLLECTION = frozenset(("collection failure", "collection error"))


def start_of_xml(text: str) -> int | None:
    """Where the document starts in `text`, which may hold other output before it."""
    match = _ROOT.search(text)
    return match.start() if match and "<testsuite" in text[match.start() :] else None


@dataclass
class _Case:
    classname: str
    name: str
    file: str
    line: int | None
    is_instant: bool = False
    skipped: str | None = None
    first: "_Error | None" = None
    errors: int = 0


@dataclass
class _Error:
    message: str
    type: str
    parts: list[str] = field(default_factory=list)
    size: int = 0


class JunitReport:
    """A reader that is fed the text from the start of the document on."""

    def __init__(self, tally: Tally) -> None:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser, ParseError

        self.tally = tally
        self._target = _Target(tally)
        self._parser: Any = DefusedXMLParser(target=self._target, forbid_dtd=True)
        self._broken: type[Exception] = ParseError
        self._hostile: type[Exception] = DefusedXmlException
        self._waiting = 0

    def feed(self, text: str) -> None:
        if self.tally.truncated or self._target.ended:
            return
        seen = self._target.seen
        try:
            self._parser.feed(text)
        except self._hostile:
            raise _refused(
                "it declares a document type or entities, which no report needs"
            ) from None
        except self._broken:
            self.tally.truncated = not self._target.ended
        self._waiting = 0 if self._target.seen > seen else self._waiting + len(text)
        if self._waiting > LONGEST_TAG:
            raise _refused(f"one tag of it is longer than {LONGEST_TAG} characters")

    def close(self) -> None:
        if not self._target.ended:
            self.tally.truncated = True
        self._target.finish()


class _Target:
    """What the parser calls."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.seen = 0
        self.ended = False
        self._depth = 0
        self._suite_name = ""
        self._cases: list[_Case] = []
        self._groups: set[str] = set()
        self._instant: list[str] = []
        self._case: _Case | None = None
        self._error: _Error | None = None
        self._times: list[float] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.seen += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _refused(f"it is nested deeper than {MAX_DEPTH} elements")
        match tag:
            case "testsuites" | "testsuite":
                self._start_suite(tag, attributes)
            case "testcase":
                self._case = _case_of(attributes)
            case "failure" | "error" if self._case:
                said = attributes.get("message", ""), attributes.get("type", "")
                self._case.errors += 1
                if self._case.first is None:
                    self._case.first = self._error = _Error(*said)
            case "skipped" if self._case:
                self._case.skipped = attributes.get("message") or attributes.get("type", "")

    def data(self, text: str) -> None:
        self.seen += 1
        error = self._error
        if error is not None and error.size < MAX_KEPT:
            error.parts.append(text[: MAX_KEPT - error.size])
            error.size += len(text)

    def end(self, tag: str) -> None:
        self.seen += 1
        self._depth -= 1
        self.ended = self._depth == 0
        match tag:
            case "failure" | "error":
                self._error = None
            case "testcase":
                self._end_case()
            case "testsuite":
                self._end_suite()

    def close(self) -> None:
        """What the parser's protocol asks for."""

    def finish(self) -> None:
        """Count what a broken end left open."""
        if self._case is not None and self._case.first:
            self._end_case()
        self._end_suite()
        if self._times:
            self.tally.duration_ms = round(self._times[0] * 1000, 3)

    def _start_suite(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", "")
        for tool in ("vitest", "pytest", "jest"):
            if name.startswith(tool):
                self.tally.tool = tool
        if self.tally.tool == "vitest":
            self.tally.sees_unhandled = False
        if (seconds := _number(attributes.get("time"))) is not None:
            self._times.append(seconds)
        if tag == "testsuite":
            self._suite_name = name

    def _end_case(self) -> None:
        case, self._case = self._case, None
        if case is None:
            return
        if case.name != case.classname and len(self._groups) < MAX_NAMES:
            self._groups.update(_groups_of(case.name))
        if case.first and len(self._cases) < 2 * MAX_LISTED:
            self._cases.append(case)
        elif case.first:
            self.tally.leave_out(1)
        elif case.skipped is not None:
            self.tally.skipped += 1
        else:
            self.tally.passed += 1
            if case.is_instant and len(self._instant) < MAX_NAMES:
                self._instant.append(case.name)

    def _end_suite(self) -> None:
        """Tell tests that failed from files and hooks, which look alike until the suite ends."""
        cases, self._cases = self._cases, []
        groups, self._groups = self._groups, set()
        instant, self._instant = self._instant, []
        for case in cases:
            error = _read(case.first)
            file, name = _named(case, self.tally.places)
            if case.classname == _UNHANDLED:
                self.tally.add_unhandled(error)
            elif kind := _suite_kind(case, groups):
                group = case.name if kind is SuiteKind.HOOK and case.name != file else ""
                self.tally.add_suite_error(kind, file, group, error)
                # Vitest 1 writes tests that never ran as passed, in no time.
                never_ran = [test for test in instant if group and test.startswith(f"{group} > ")]
                self.tally.passed -= len(never_ran)
                self.tally.skipped += len(never_ran)
            else:
                place = (case.line, None) if case.line else None
                self.tally.add_failure(file, name, error, errors=case.errors, place=place)


def _read(error: _Error | None) -> ErrorRead:
    if error is None:
        return ErrorRead("", Kind.ERROR)
    text = "".join(error.parts)
    name = error.type if "." not in error.type else error.type.rpartition(".")[2]
    return read_error(text, error.message, name)


def _suite_kind(case: _Case, groups: set[str]) -> SuiteKind | None:
    if case.first and case.first.message in _SUITE_COLLECTION:
        return SuiteKind.LOAD
    if case.name == case.classname:
        return SuiteKind.HOOK if groups else SuiteKind.LOAD
    return SuiteKind.HOOK if case.name in groups else None


def _groups_of(name: str) -> list[str]:
    steps = name.split(" > ")
    return ["", *(" > ".join(steps[:size]) for size in range(1, min(len(steps), 20)))]


def _named(case: _Case, places: Places) -> tuple[str, str]:
    """The file and the full name. pytest writes modules and classes with dots between them."""
    if case.file or "/" in case.classname or not _is_dotted(case):
        return case.file or case.classname, case.name
    steps = case.classname.split(".") if case.classname else case.name.split(".")
    classes = [step for step in steps if step[:1].isupper()]
    module = "/".join(steps[: len(steps) - len(classes)]) + ".py"
    file = next((f.file for f in _frames(case) if f.own and f.file.endswith(module)), module)
    return places.relative(file), " > ".join([*classes, case.name])


def _is_dotted(case: _Case) -> bool:
    """Whether the file is told as a module of Python."""
    if any(frame.file.endswith(".py") for frame in _frames(case)):
        return True
    if not case.classname:
        return case.first is not None and case.first.message in _SUITE_COLLECTION
    return re.fullmatch(r"[\w.\[\]-]+", case.classname) is not None


def _frames(case: _Case) -> list[Frame]:
    return frames_in("".join(case.first.parts)) if case.first else []


def _case_of(attributes: Mapping[str, str]) -> _Case:
    line = _number(attributes.get("line"))
    return _Case(
        classname=attributes.get("classname", ""),
        name=attributes.get("name", ""),
        file=attributes.get("file", ""),
        line=int(line) if line else None,
        is_instant=_number(attributes.get("time")) == 0,
    )


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _refused(fault: str) -> ExpectedFailure:
    return ExpectedFailure(
        f"the report: no JUnit XML that is read: {fault}.",
        "Let the test runner write it again, with --reporter=junit or --junitxml.",
    )
