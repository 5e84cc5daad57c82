"""A failure as hints look at it, be it of a test, of a file or of a run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from devloop_tools.domain.reports.model import Failure, Kind, ReportParsed, SuiteError, SuiteKind
from devloop_tools.domain.reports.stack import Frame, frame_of

_VARYING = re.compile(r"\d+(?:\.\d+)?|0x[0-9a-f]+|(['\"`]).*?\1")


@dataclass(frozen=True, slots=True)
class Failed:
    """`kind` is one of a Failure's or a SuiteError's, or unhandled."""

    kind: str
    file: str
    line: int | None
    full_name: str
    message: str
    expected: str | None
    actual: str | None
    frames: tuple[Frame, ...]

    @property
    def title(self) -> str:
        """The test's own title: the last part of its name, which may hold ' > ' itself."""
        return self.full_name.rpartition(" > ")[2]

    @property
    def tells(self) -> bool:
        """Whether it says anything: which test, where, or what went wrong."""
        return any(text.strip() for text in (self.full_name, self.file, self.message))

    @property
    def blocks(self) -> bool:
        """Whether it kept a whole file or group from running."""
        return self.kind in (SuiteKind.LOAD, SuiteKind.HOOK)

    @property
    def signature(self) -> tuple[str, str]:
        """What two failures of one cause have in common where no code tells: message and place."""
        own = next((frame for frame in self.frames if frame.own), None)
        return _VARYING.sub("#", self.message)[:200], own.file if own else ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


def failed_in(report: ReportParsed) -> list[Failed]:
    """All that failed in a report: what blocks others first."""
    return [
        *map(failed_suite, report.suite_errors),
        *map(failed_test, report.failures),
        *(
            Failed("unhandled", error.file, error.line, "", error.message, None, None,
                   tuple(_frames(error.stack)))
            for error in report.unhandled_errors
        ),
    ]  # fmt: skip


def failed_test(failure: Failure) -> Failed:
    return Failed(
        kind=failure.kind,
        file=failure.file,
        line=failure.line,
        full_name=failure.full_name,
        message=failure.message,
        expected=failure.expected,
        actual=failure.actual,
        frames=tuple(_frames(failure.stack)),
    )


def failed_suite(error: SuiteError) -> Failed:
    return Failed(
        kind=error.kind,
        file=error.file,
        line=error.line,
        full_name=error.name,
        message=error.message,
        expected=None,
        actual=None,
        frames=tuple(_frames(error.stack)),
    )


def is_timeout(failure: Failed) -> bool:
    return failure.kind == Kind.TIMEOUT


def _frames(stack: list[str]) -> Iterator[Frame]:
    for line in stack:
        if frame := frame_of(f"    {line}"):
            yield frame
