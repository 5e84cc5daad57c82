"""Reads TAP: Vitest's with groups in braces and diagnostics in YAML, its flat form, others'."""

import re
from dataclasses import dataclass, field

from devloop_tools.domain.reports.error_text import ErrorRead, expected_and_actual, read_error
from devloop_tools.domain.reports.lines import Lines
from devloop_tools.domain.reports.model import Kind, SuiteKind
from devloop_tools.domain.reports.plain_text import shortened
from devloop_tools.domain.reports.stack import frames_in
from devloop_tools.domain.reports.tally import MAX_LISTED, Tally

MAX_DEPTH = 100
MAX_VALUE = 50_000

_POINT = re.compile(
    r"^(?P<indent> *)(?P<no>not )?ok\b(?: \d+)?(?: -)? ?(?P<title>.*?)"
    r"(?: # time=(?P<ms>[\d.]+)ms)?(?P<group> \{)?$"
)
_DIRECTIVE = re.compile(r" # (SKIP|TODO)\b.*$", re.IGNORECASE)
_PLAN = re.compile(r"^ *1\.\.(\d+)")
_FIELD = re.compile(r"^ *(name|message|at|actual|expected|stack|error|code): *(.*)$")
_FILE = re.compile(r"^\S*(?:[./]|\btest)\S*\.[cm]?[jt]sx?$")
_STARTS = re.compile(r"^(?:TAP version \d+|1\.\.\d+|(?:not )?ok \d+)", re.MULTILINE)
_NO_REASON = ErrorRead("the report gives no reason; see the runner's output", Kind.ERROR)


def is_tap(text: str) -> bool:
    """Whether `text` starts, after other output perhaps, as TAP does."""
    return len(_STARTS.findall(text)) >= 2


@dataclass
class _Point:
    title: str
    ok: bool
    is_group: bool
    skipped: str = ""
    ms: float | None = None
    first: ErrorRead | None = None
    errors: int = 0
    below: list["_Point"] = field(default_factory=list)
    """What may still have failed: groups, and tests that are not ok."""


class TapReport:
    """A reader that is fed text, and counts when the outermost group ends."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        tally.sees_unhandled = False
        self._lines = Lines()
        self._open: list[_Point] = []
        self._last: _Point | None = None
        self._diagnostic: dict[str, str] | None = None
        self._value = ""
        """The name of a value that goes on over lines."""
        self._planned: int | None = None
        self._seen = 0

    def feed(self, text: str) -> None:
        for line in self._lines.feed(text):
            self._take(line)

    def close(self) -> None:
        for line in self._lines.close():
            self._take(line)
        if self._diagnostic is not None or self._open:
            self.tally.truncated = True
            self._end_diagnostic()
        while self._open:
            self._end_group()
        self._end_point()
        if self._planned is None or self._seen < self._planned:
            self.tally.truncated = True

    def _take(self, line: str) -> None:
        if self._diagnostic is not None:
            self._take_diagnostic(line)
        elif line.strip() == "---" and self._last is not None:
            self._diagnostic = {}
        elif line.strip() == "}" and self._open:
            self._end_point()
            self._end_group()
        elif match := _POINT.match(line):
            self._end_point()
            self._take_point(match)
        elif (match := _PLAN.match(line)) and not self._open and not line.startswith(" "):
            self._planned = int(match[1][:9])

    def _take_point(self, match: re.Match[str]) -> None:
        title = match["title"]
        directive = _DIRECTIVE.search(title)
        point = _Point(
            title=_DIRECTIVE.sub("", title).strip(),
            ok=match["no"] is None,
            is_group=match["group"] is not None,
            skipped=directive[1].upper() if directive else "",
            ms=float(match["ms"]) if match["ms"] else None,
        )
        if not self._open and not match["indent"]:
            self._seen += 1
        if point.is_group and len(self._open) < MAX_DEPTH:
            self._open.append(point)
        else:
            self._last = point

    def _end_point(self) -> None:
        point, self._last = self._last, None
        if point is None:
            return
        if point.skipped == "SKIP":
            self.tally.skipped += 1
        elif point.skipped == "TODO":
            self.tally.todo += 1
        elif point.ok:
            self.tally.passed += 1
        elif not self._open:
            self._count([point], "", [])
        elif len(self._open[-1].below) < 2 * MAX_LISTED:
            self._open[-1].below.append(point)
        else:
            self.tally.leave_out(1)

    def _end_group(self) -> None:
        group = self._open.pop()
        if self._open:
            if not group.ok or group.below:
                self._open[-1].below.append(group)
            return
        if group.ms is not None:
            self.tally.duration_ms = round((self.tally.duration_ms or 0) + group.ms, 3)
        self._count_group(group, group.title, [])

    def _count_group(self, group: _Point, file: str, above: list[str]) -> None:
        """The failures in a group; one that failed with no failure below it had a bad hook."""
        failing = [point for point in group.below if not point.ok]
        if group.ok or group.skipped or any(point.is_group or point.first for point in failing):
            self._count(group.below, file, above)
            return
        # Vitest 1 says of tests that never ran that they are not ok, and gives no error.
        self.tally.add_suite_error(SuiteKind.HOOK, file, " > ".join(above), _NO_REASON)
        self.tally.skipped += len(failing)

    def _count(self, points: list[_Point], file: str, above: list[str]) -> None:
        for point in points:
            if point.is_group:
                self._count_group(point, file, [*above, point.title])
            elif not point.ok:
                self._count_failed(point, file, above)

    def _count_failed(self, point: _Point, file: str, above: list[str]) -> None:
        first = point.first or _NO_REASON
        errors = max(1, point.errors)
        if not file and not above and _FILE.match(point.title):
            self.tally.add_suite_error(SuiteKind.LOAD, point.title, "", first)
            return
        head, _, rest = point.title.partition(" > ")
        if not file and rest and _FILE.match(head):
            self.tally.add_failure(head, rest, first, errors=errors)
            return
        full_name = " > ".join([*above, point.title])
        self.tally.add_failure(file, full_name, first, errors=errors)

    def _take_diagnostic(self, line: str) -> None:
        found = self._diagnostic
        assert found is not None
        if self._value:
            self._go_on(found, line)
        elif line.strip() in ("...", "---"):
            self._end_diagnostic()
            self._diagnostic = {} if line.strip() == "---" else None
        elif match := _FIELD.match(line):
            name, value = match[1], match[2]
            if value.startswith('"') and not _is_closed(value):
                self._value = name
            found[name] = value

    def _go_on(self, found: dict[str, str], line: str) -> None:
        if len(found[self._value]) < MAX_VALUE:
            found[self._value] += f"\n{line}"
        if line.endswith('"') and not line.endswith('\\"'):
            found[self._value] = found[self._value].rstrip('"') + '"'
            self._value = ""

    def _end_diagnostic(self) -> None:
        found, self._diagnostic, self._value = self._diagnostic or {}, None, ""
        if found and self._last is not None:
            self._last.errors += 1
            if self._last.first is None:
                self._last.first = _error_of({k: _unquoted(v) for k, v in found.items()})


def _is_closed(value: str) -> bool:
    return len(value) > 1 and value.endswith('"') and not value.endswith('\\"')


def _unquoted(value: str) -> str:
    if value.startswith('"'):
        value = value.removeprefix('"').removesuffix('"').replace('\\"', '"')
    return value


def _error_of(found: dict[str, str]) -> ErrorRead:
    message = found.get("message") or found.get("error", "")
    read = read_error(message, "", found.get("name", ""))
    expected, actual = read.expected, read.actual
    if "expected" in found and "actual" in found:
        pair = expected_and_actual(found["expected"], found["actual"])
        expected, actual = (shortened(value.rstrip()) for value in pair)
    place = frames_in(f"    at {found['at']}") if "at" in found else []
    return ErrorRead(read.message, read.kind, expected, actual, stack=place)
