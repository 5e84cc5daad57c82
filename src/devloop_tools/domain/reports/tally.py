"""What readers of reports count and keep, with bounds on what is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from devloop_tools.domain.reports.error_text import ErrorRead
from devloop_tools.domain.reports.model import (
    Failure,
    Flaky,
    Format,
    Snapshots,
    SuiteError,
    SuiteKind,
    Totals,
    UnhandledError,
)
from devloop_tools.domain.reports.places import Places
from devloop_tools.domain.reports.stack import Frame

MAX_LISTED = 200
"""Failures of each sort that are kept whole; the others are counted."""


@dataclass
class Tally:
    """One report, while it is read."""

    places: Places
    format: Format
    tool: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    todo: int = 0
    failures: list[Failure] = field(default_factory=list)
    suite_errors: list[SuiteError] = field(default_factory=list)
    unhandled: list[UnhandledError] = field(default_factory=list)
    flaky: list[Flaky] = field(default_factory=list)
    snapshots: Snapshots = field(default_factory=Snapshots)
    duration_ms: float | None = None
    left_out: int = 0
    truncated: bool = False
    says_failed: str = ""
    """A reason for failure that the report gives beside its tests."""
    sees_unhandled: bool = True
    """Whether its reporter tells of errors outside of tests."""

    def totals(self) -> Totals:
        counts = {"passed": self.passed, "failed": self.failed,
                  "skipped": self.skipped, "todo": self.todo}  # fmt: skip
        return Totals(tests=sum(counts.values()), **counts)

    def add_failure(
        self,
        file: str,
        full_name: str,
        first: ErrorRead,
        *,
        errors: int = 1,
        place: "Place | None" = None,
    ) -> None:
        """A test that failed; `place` is where, if the stack of its first error doesn't say."""
        if len(self.failures) >= MAX_LISTED:
            self.leave_out(1)
            return
        self.failed += 1
        file, stack, where = self._placed(file, first.stack)
        line, column = where or place or (None, None)
        self.failures.append(
            Failure(
                file=file,
                line=line,
                column=column,
                full_name=full_name,
                kind=first.kind,
                message=first.message,
                expected=first.expected,
                actual=first.actual,
                diff=first.diff,
                stack=stack,
                errors=errors,
            )
        )

    def leave_out(self, count: int) -> None:
        """Tests that failed and are counted alone."""
        self.failed += count
        self.left_out += count

    def add_suite_error(self, kind: SuiteKind, file: str, name: str, error: ErrorRead) -> None:
        """A file that didn't load, or a group whose hook failed."""
        if error.message.startswith("Obsolete snapshots"):
            kind = SuiteKind.SNAPSHOT
        if len(self.suite_errors) >= MAX_LISTED:
            self.left_out += 1
            return
        file, stack, where = self._placed(file, error.stack)
        line = where[0] if where else None
        self.suite_errors.append(
            SuiteError(
                kind=kind,
                file=file,
                name=name,
                line=line,
                message=error.message,
                stack=stack,
            )
        )

    def add_unhandled(self, error: ErrorRead, file: str = "") -> None:
        """An error that belongs to no test; where it was thrown counts before `file`."""
        if len(self.unhandled) >= MAX_LISTED:
            self.left_out += 1
            return
        thrown = next((frame for frame in error.stack if frame.own), None)
        file, stack, where = self._placed(thrown.file if thrown else file, error.stack)
        line = where[0] if where else None
        self.unhandled.append(
            UnhandledError(message=error.message, file=file, line=line, stack=stack)
        )

    def add_flaky(self, file: str, full_name: str, retries: int) -> None:
        """A test that passed in the end; it is counted as passed elsewhere."""
        if len(self.flaky) < MAX_LISTED:
            named = self.places.relative(file)
            self.flaky.append(Flaky(full_name=full_name, file=named, retries=retries))

    def _placed(self, file: str, stack: Sequence[Frame]) -> tuple[str, list[str], "Place | None"]:
        """The file and the stack by their paths in the project; the stack's place in that file."""
        relative = self.places.relative
        frames = [replace(frame, file=relative(frame.file)) for frame in stack]
        file = relative(file) if file else next((f.file for f in frames if f.own), "")
        inside = [(f.line, f.column) for f in frames if f.file == file and f.own]
        return file, [str(frame) for frame in frames], inside[0] if inside else None


Place = tuple[int | None, int | None]
"""Line and column."""
