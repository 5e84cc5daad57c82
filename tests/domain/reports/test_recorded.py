"""Every recorded run: what failed, where, what was expected, and the verdict."""

import re
from pathlib import Path

import pytest
from tests.domain.reports.recorded import (
    FIXTURES,
    REPORTERS,
    VITEST,
    Recorded,
    read,
    recorded,
    sidecar,
)

from devloop_tools.domain.reports.model import Format, Kind, ReportParsed, SuiteKind
from devloop_tools.storage.errors import ExpectedFailure

RUNS = recorded(*VITEST)
PARSED = [run for run in RUNS if run.text and run.scenario != "stdout"]
EMPTY = [run for run in RUNS if not run.text]


def of(scenario: str, *reporters: str) -> pytest.MarkDecorator:
    """The fixtures of one scenario, in all reporters or some."""
    runs = [run for run in PARSED if run.scenario == scenario]
    kept = [run for run in runs if not reporters or run.reporter in reporters]
    assert len({run.tool for run in kept}) >= 4
    return pytest.mark.parametrize("run", kept, ids=str)


def totals(report: ReportParsed) -> tuple[int, int, int, int, int]:
    found = report.totals
    return found.tests, found.passed, found.failed, found.skipped, found.todo


def test_all_versions_reporters_and_scenarios_are_there() -> None:
    majors = [sidecar(tool)["version"].partition(".")[0] for tool in VITEST]
    assert majors == ["1", "2", "3", "4", "5"]
    for tool in VITEST:
        runs = recorded(tool)
        scenarios = {run.scenario for run in runs} - {"stdout"}
        assert len(scenarios) == 14
        assert {(run.scenario, run.reporter) for run in runs} >= {
            (scenario, reporter) for scenario in scenarios for reporter in REPORTERS
        }


def test_no_fixture_names_a_folder_or_the_host_of_the_machine() -> None:
    paths = [path for path in FIXTURES.rglob("*") if path.is_file()]
    text = "".join(path.read_text(encoding="utf-8", errors="ignore") for path in paths)
    assert set(re.findall(r'hostname="([^"]*)"', text)) == {"host"}
    assert re.findall(r"(?<![\w.])/(?:home|root|tmp|work|Users|opt)/\S*", text) == []
    assert sum(path.stat().st_size for path in paths) < 3_000_000


@pytest.mark.parametrize("tool", VITEST)
def test_a_format_is_found_and_can_be_asked_for(tool: str, projects: dict[str, Path]) -> None:
    for run in (run for run in PARSED if run.tool == tool):
        found = read(run, projects[tool])
        asked = read(run, projects[tool], form=Format(run.reporter))
        assert asked == found, run
        is_shown = run.reporter in ("default", "verbose")
        expected = {Format.DEFAULT, Format.VERBOSE} if is_shown else {Format(run.reporter)}
        assert found.format in expected, run


@pytest.mark.parametrize("tool", VITEST)
def test_the_verdict_is_that_of_the_exit_code(tool: str, projects: dict[str, Path]) -> None:
    for run in (run for run in PARSED if run.tool == tool):
        report = read(run, projects[tool])
        assert report.passed is (run.exit_code == 0), run
        assert bool(report.reasons) is (run.exit_code != 0), run
        assert read(run, projects[tool], exit_code=1).passed is False, run


@pytest.mark.parametrize("run", EMPTY, ids=str)
def test_an_empty_report_is_refused_with_a_guess(run: Recorded, projects: dict[str, Path]) -> None:
    with pytest.raises(ExpectedFailure, match="empty: was no test file found"):
        read(run, projects[run.tool])


@of("passing")
def test_passing(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (2, 2, 0, 0, 0)
    assert (report.failures, report.suite_errors, report.unhandled_errors) == ([], [], [])
    assert report.duration_ms is not None
    assert 0 < report.duration_ms < 60_000


FAILED = [
    ("receipts > adds lines", 12, 26, Kind.ASSERTION, "expected 6 to be 7 // Object.is equality"),
    ("receipts > lists what was bought", 16, 28, Kind.ASSERTION, "expected { lines: [ 'tea' ]"),
    (
        "receipts > 中文 收据 > 总价 应当 正确 > 带符号",
        21,
        38,
        Kind.ASSERTION,
        "expected '合计:6 元' to be '合计:7 元'",
    ),
    ("a text of several lines", 27, 31, Kind.ASSERTION, "expected 'one\\ntwo\\nthree\\n' to be"),
    ("an error from the source", 31, 3, Kind.ERROR, "not a price: twelve"),
    ("an error with a cause, later", 35, 3, Kind.ERROR, "no price for tea"),
    ("an error that should have come", 39, 34, Kind.ASSERTION, "expected [Function] to throw"),
    ("a number that is not above", 43, 24, Kind.ASSERTION, "expected 6 to be greater than 10"),
    ("something that never ends", 46, 1, Kind.TIMEOUT, "Test timed out"),
    ("each case 2", 51, 38, Kind.ASSERTION, "expected 6 to be 3"),
    ("two soft expectations", 55, 22, Kind.ASSERTION, "expected 2 to be 3"),
    ("not an error that is thrown", None, None, Kind.ERROR, "only a text"),
]


@of("failing")
def test_failing(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])

    assert totals(report) == (14, 2, 12, 0, 0)
    assert [failure.full_name for failure in report.failures] == [name for name, *_ in FAILED]
    for failure, (_, line, column, kind, message) in zip(report.failures, FAILED, strict=True):
        assert failure.file == "test/failing.test.ts"
        assert failure.kind is kind
        assert message in failure.message
        # Vitest 1's JSON has no stack, TAP one place, which may lie in the source, and
        # of what is no error no reporter knows where it was thrown.
        if failure.line is not None or kind is Kind.ASSERTION:
            assert (failure.line, failure.column) == (line, column)


@of("failing")
def test_values_that_differ(run: Recorded, projects: dict[str, Path]) -> None:
    by_name = {failure.full_name: failure for failure in read(run, projects[run.tool]).failures}

    number, text = by_name["receipts > adds lines"], by_name[FAILED[2][0]]
    assert (number.expected, number.actual) == ("7", "6")
    assert (text.expected, text.actual) == ("合计:7 元", "合计:6 元")
    lines = by_name["a text of several lines"]
    assert (lines.expected or "").strip() == "one\n2\nthree"
    assert (lines.actual or "").strip() == "one\ntwo\nthree"
    above = by_name["a number that is not above"]
    assert (above.expected, above.actual) in [("greater than 10", "6"), ("10", "6")]
    listed = by_name["receipts > lists what was bought"]
    assert "coffee" in (listed.expected or "")
    assert "tea" in (listed.actual or "")
    assert by_name["two soft expectations"].errors == 2


@of("failing", "junit", "default", "verbose")
def test_a_diff_is_kept(run: Recorded, projects: dict[str, Path]) -> None:
    by_name = {failure.full_name: failure for failure in read(run, projects[run.tool]).failures}
    listed = by_name["receipts > lists what was bought"]
    assert '-   "currency": "EUR",\n+   "currency": "CNY",' in listed.diff
    assert '"currency": "EUR"' in (listed.expected or "")
    assert '"currency": "CNY"' in (listed.actual or "")


@of("failing", "junit", "default", "verbose", "json")
def test_own_frames_come_first(run: Recorded, projects: dict[str, Path]) -> None:
    by_name = {failure.full_name: failure for failure in read(run, projects[run.tool]).failures}
    stack = by_name["an error from the source"].stack
    if run.tool == "vitest-1" and run.reporter == "json":
        assert stack == []
        return
    assert stack[0].replace("Module.", "") == "at parsePrice (src/price.ts:22:11)"
    assert stack[1] == "at test/failing.test.ts:31:3"
    own = ["node_modules/" not in frame and "node:" not in frame for frame in stack]
    assert own == sorted(own, reverse=True)


@of("skipped")
def test_skipped(run: Recorded, projects: dict[str, Path]) -> None:
    counts = (5, 1, 0, 4, 0) if run.reporter == "junit" else (5, 1, 0, 3, 1)
    assert totals(read(run, projects[run.tool])) == counts


@of("retried")
def test_retried(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    [failure] = report.failures
    assert totals(report) == (1, 0, 1, 0, 0)
    assert (failure.full_name, failure.line) == ("fails however often it is tried", 7)
    assert (failure.expected, failure.actual, failure.errors) == ("10", "1", 3)


@of("flaky")
def test_flaky(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (2, 2, 0, 0, 0)
    assert report.failures == []
    told = [(flaky.full_name, flaky.file, flaky.retries) for flaky in report.flaky]
    assert told in ([], [("passes in the end", "test/flaky.test.ts", 2)])
    assert told or run.reporter != "json"


@of("snapshot-written")
def test_snapshots_that_were_written(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (2, 2, 0, 0, 0)
    if run.reporter in ("default", "verbose") or (run.reporter == "json" and "1" not in run.tool):
        assert report.snapshots.written == 2


@of("snapshot-mismatched")
def test_a_snapshot_that_differs(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    [failure] = report.failures
    assert (failure.full_name, failure.kind) == ("keeps its form", Kind.SNAPSHOT)
    assert (failure.file, failure.line, failure.column) == ("test/snapshot.test.ts", 6, 83)
    assert "mismatched" in failure.message
    if run.reporter in ("junit", "default", "verbose"):
        assert '-   "count": 2,\n+   "count": 3,' in failure.diff
        assert '"count": 2' in (failure.expected or "")
    if run.reporter in ("default", "verbose") or (run.reporter == "json" and "1" not in run.tool):
        assert report.snapshots.mismatched == 1


@of("snapshot-obsolete")
def test_a_snapshot_that_nothing_uses(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (1, 1, 0, 0, 0)
    assert report.failures == []
    if run.reporter in ("default", "verbose") or (run.reporter == "json" and "1" not in run.tool):
        assert report.snapshots.obsolete == 1
        assert report.snapshots.obsolete_names == ["is gone later 1"]
    if run.exit_code and run.reporter != "tap":
        assert [error.kind for error in report.suite_errors] == [SuiteKind.SNAPSHOT]


@of("unhandled")
def test_an_unhandled_rejection(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (1, 1, 0, 0, 0)
    told = [(error.message, error.file, error.line) for error in report.unhandled_errors]
    if run.reporter in ("default", "verbose"):
        assert told == [("late boom", "test/unhandled.test.ts", 5)]
    elif not told and run.exit_code:
        assert "exit code 1, though the report shows no failure" in report.reasons[0]


@of("import-error")
def test_files_that_do_not_load(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    gone, bad = report.suite_errors
    assert totals(report) == (2, 2, 0, 0, 0)
    assert [error.kind for error in report.suite_errors] == [SuiteKind.LOAD, SuiteKind.LOAD]
    assert (gone.file, bad.file) == ("test/import-error.test.ts", "test/load-error.test.ts")
    assert "../src/gone" in gone.message
    assert "not a price: abc" in bad.message
    if run.reporter in ("junit", "default", "verbose"):
        assert bad.line == 4


@of("before-all")
def test_a_hook_that_fails(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    [error] = report.suite_errors
    assert totals(report) == (2, 0, 0, 2, 0)
    assert (error.kind, error.file) == (SuiteKind.HOOK, "test/before-all.test.ts")
    if run.reporter in ("junit", "default", "verbose"):
        assert (error.name, error.message, error.line) == ("db", "db down", 4)
    else:
        assert "the report gives no reason" in error.message or error.message == "db down"


@of("noisy")
def test_what_a_test_writes_fools_nobody(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    [failure] = report.failures
    assert totals(report) == (1, 0, 1, 0, 0)
    assert (failure.file, failure.line) == ("test/noisy.test.ts", 6)


@of("no-tests")
def test_no_tests_are_not_a_pass(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert totals(report) == (0, 0, 0, 0, 0)
    assert "no tests" in report.reasons[0]


@of("truncated")
def test_truncated(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    names = [name for name, *_ in FAILED]
    assert report.report_truncated
    assert "the report ends early" in report.reasons
    assert [failure.full_name for failure in report.failures[:5]] == names[:5]
    assert report.failures[0].line == 12
    assert report.totals.failed >= 5


@pytest.mark.parametrize("tool", VITEST)
@pytest.mark.parametrize("scenario", sorted({run.scenario for run in PARSED} - {"truncated"}))
def test_all_reporters_tell_of_the_same_failures(
    tool: str, scenario: str, projects: dict[str, Path]
) -> None:
    runs = [run for run in PARSED if (run.tool, run.scenario) == (tool, scenario)]
    reports = [read(run, projects[tool], exit_code=1) for run in runs]
    told = [
        (
            [(failure.file, failure.full_name, failure.kind, failure.errors)
             for failure in report.failures],
            [error.file for error in report.suite_errors],
            report.totals.tests, report.totals.passed, report.totals.failed,
        )
        for report in reports
    ]  # fmt: skip
    assert all(one == told[0] for one in told)
    messages = [
        [
            # Some have no name of the error, and some not how long a test took to time out.
            re.sub(r"^\w+: |(?<=timed out) [\s\S]*", "", failure.message)
            for failure in report.failures
        ]
        for report in reports
    ]
    assert all(one == messages[0] for one in messages)
