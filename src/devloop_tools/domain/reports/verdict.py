"""Whether a run passed, by all that there is to judge it: report, counts and exit code."""

from collections.abc import Iterator

from devloop_tools.domain.reports.console_report import ConsoleReport
from devloop_tools.domain.reports.model import Failure, Format, ReportParsed, SuiteError
from devloop_tools.domain.reports.tally import Tally


def add_reasons_from(tally: Tally, around: str) -> None:
    """Take from the output around a report what the report itself doesn't say.

    Vitest's JSON gives no reason for a hook that failed, and no errors outside of tests.
    """
    other = Tally(tally.places, Format.DEFAULT)
    reader = ConsoleReport(other, lenient=True)
    reader.feed(around)
    reader.close()
    if not tally.unhandled:
        tally.unhandled = other.unhandled
    tally.suite_errors = [_explained(error, other) for error in tally.suite_errors]


def _explained(error: SuiteError, other: Tally) -> SuiteError:
    if error.stack:
        return error
    for name, found in _told(other):
        if _same_file(found.file, error.file):
            update = {"message": found.message, "stack": found.stack, "line": found.line,
                      "name": error.name or name}  # fmt: skip
            return error.model_copy(update=update)
    return error


def _told(other: Tally) -> Iterator[tuple[str, SuiteError | Failure]]:
    for suite in other.suite_errors:
        yield suite.name, suite
    for failure in other.failures:
        yield failure.full_name, failure


def _same_file(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def report_of(tally: Tally, exit_code: int | None) -> ReportParsed:
    """The report, with the verdict that the exit code may overrule."""
    reasons = list(_reasons(tally, exit_code))
    passed: bool | None = not reasons
    if passed and exit_code is None and not tally.sees_unhandled:
        passed = None
        reasons = ["no test failed, but this format doesn't tell of errors outside of tests: "
                   "give exit_code"]  # fmt: skip
    return ReportParsed(
        passed=passed,
        reasons=reasons,
        format=tally.format,
        tool=tally.tool or ("vitest" if tally.format is Format.JSON else ""),
        report_truncated=tally.truncated,
        totals=tally.totals(),
        failures=tally.failures,
        suite_errors=tally.suite_errors,
        unhandled_errors=tally.unhandled,
        flaky=tally.flaky,
        snapshots=tally.snapshots,
        duration_ms=tally.duration_ms,
        left_out=tally.left_out,
    )


def _reasons(tally: Tally, exit_code: int | None) -> Iterator[str]:
    """What speaks against the run."""
    totals = tally.totals()
    if totals.failed:
        yield f"{totals.failed} of {totals.tests} tests failed"
    if tally.suite_errors:
        yield f"{len(tally.suite_errors)} files or groups could not run: see suite_errors"
    if tally.unhandled:
        yield f"{len(tally.unhandled)} errors outside of tests: see unhandled_errors"
    if tally.truncated:
        yield "the report ends early"
    if not totals.tests and not tally.suite_errors:
        yield from _nothing_ran(exit_code)
        return
    found = totals.failed or tally.suite_errors or tally.unhandled
    if exit_code and not found:
        obsolete = tally.snapshots.obsolete
        why = f"{obsolete} obsolete snapshots, " if obsolete else ""
        yield (
            f"exit code {exit_code}, though the report shows no failure: {why}an error outside of "
            "tests (the runner's output tells it), a threshold, or a crash"
        )
    elif tally.says_failed and not found:
        yield tally.says_failed


def _nothing_ran(exit_code: int | None) -> Iterator[str]:
    code = "" if exit_code is None else f" (exit code {exit_code})"
    yield f"no tests: no test file was found, or none holds a test{code}"
