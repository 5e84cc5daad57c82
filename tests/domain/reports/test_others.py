"""Recorded runs of Jest and pytest."""

from pathlib import Path

import pytest
from tests.domain.reports.recorded import Recorded, read, recorded

from devloop_tools.domain.reports.model import Kind, ReportParsed, SuiteKind

JEST = {run.scenario: run for run in recorded("jest")}
PYTEST = {run.scenario: run for run in recorded("pytest")}
ALL = [*JEST.values(), *PYTEST.values()]


def totals(report: ReportParsed) -> tuple[int, int, int, int, int]:
    found = report.totals
    return found.tests, found.passed, found.failed, found.skipped, found.todo


@pytest.mark.parametrize("run", ALL, ids=str)
def test_the_verdict_is_that_of_the_exit_code(run: Recorded, projects: dict[str, Path]) -> None:
    report = read(run, projects[run.tool])
    assert report.tool == run.tool
    assert report.passed is (run.exit_code == 0)
    assert report.report_truncated is (run.scenario == "truncated")


def test_jest_tells_what_failed(projects: dict[str, Path]) -> None:
    report = read(JEST["failing"], projects["jest"])

    assert totals(report) == (6, 1, 5, 0, 0)
    told = [(f.full_name, f.line, f.kind, f.expected, f.actual) for f in report.failures]
    assert told[0] == ("receipts > adds lines", 11, Kind.ASSERTION, "7", "6")
    assert told[1][:3] == ("receipts > 总价 应当 正确", 15, Kind.ASSERTION)
    assert '"total": 7' in (told[1][3] or "")
    assert report.failures[1].diff.splitlines()[2:4] == ['-   "total": 7,', '+   "total": 6,']
    assert told[2] == ("an error from the source", 20, Kind.ERROR, None, None)
    assert report.failures[2].message == "RangeError: not a price: twelve"
    assert report.failures[2].stack[:2] == [
        "at parsePrice (src/price.js:12:11)",
        "at Object.parsePrice (test/failing.test.js:20:3)",
    ]
    assert told[4][2] is Kind.TIMEOUT


def test_jest_tells_of_retries_snapshots_and_files_that_do_not_load(
    projects: dict[str, Path],
) -> None:
    root = projects["jest"]
    [flaky] = read(JEST["flaky"], root).flaky
    assert (flaky.full_name, flaky.retries) == ("passes in the end", 2)
    assert totals(read(JEST["skipped"], root)) == (3, 1, 0, 1, 1)
    assert read(JEST["snapshot-written"], root).snapshots.written == 2
    [failure] = read(JEST["snapshot-mismatched"], root).failures
    assert (failure.kind, failure.line) == (Kind.SNAPSHOT, 4)
    obsolete = read(JEST["snapshot-obsolete"], root)
    assert obsolete.snapshots.obsolete_names == ["is gone later 1"]
    [error] = read(JEST["import-error"], root).suite_errors
    assert (error.kind, error.file) == (SuiteKind.LOAD, "test/import-error.test.js")
    assert error.message == "Cannot find module '../src/gone' from 'test/import-error.test.js'"
    [hook] = read(JEST["before-all"], root).failures
    assert (hook.full_name, hook.message, hook.line) == ("db > reads", "db down", 2)


def test_pytest_tells_what_failed(projects: dict[str, Path]) -> None:
    report = read(PYTEST["failing"], projects["pytest"])

    assert totals(report) == (9, 2, 7, 0, 0)
    assert {failure.file for failure in report.failures} == {"tests/test_failing.py"}
    told = {f.full_name: (f.line, f.kind, f.expected, f.actual) for f in report.failures}
    assert told["TestReceipts > test_adds_lines"] == (12, Kind.ASSERTION, "7", "6")
    assert told["test_总价_应当_正确"] == (19, Kind.ASSERTION, "合计:7 元", "合计:6 元")
    assert told["test_an_error_that_should_have_come"][2:] == ("ValueError", "nothing was raised")
    assert told["test_each_case[2]"] == (33, Kind.ASSERTION, "3", "6")
    error = next(f for f in report.failures if f.full_name == "test_an_error_from_the_source")
    assert (error.line, error.kind) == (23, Kind.ERROR)
    assert error.message == "ValueError: not a price: twelve"
    assert error.stack == [
        "at parse_price (price.py:12)",
        "at test_an_error_from_the_source (tests/test_failing.py:23)",
    ]


def test_pytest_tells_of_skips_fixtures_and_files_that_do_not_load(
    projects: dict[str, Path],
) -> None:
    root = projects["pytest"]
    assert totals(read(PYTEST["skipped"], root)) == (4, 1, 1, 2, 0)
    fixtures = read(PYTEST["fixture-error"], root)
    assert [(f.full_name, f.message) for f in fixtures.failures] == [
        ("test_reads", "ConnectionError: db down"),
        ("test_closes", "RuntimeError: could not close"),
    ]
    [gone] = read(PYTEST["import-error"], root).suite_errors
    assert (gone.kind, gone.file, gone.line) == (SuiteKind.LOAD, "tests/test_import_error.py", 1)
    assert gone.message == "ModuleNotFoundError: No module named 'gone'"
    [bad] = read(PYTEST["syntax-error"], root).suite_errors
    assert (bad.file, bad.line) == ("tests/test_syntax_error.py", 2)
    assert bad.message == "SyntaxError: invalid syntax"


def test_a_cut_report_of_pytest_says_so_and_keeps_what_it_has(projects: dict[str, Path]) -> None:
    report = read(PYTEST["truncated"], projects["pytest"])
    assert report.report_truncated
    assert report.failures[0].full_name == "TestReceipts > test_adds_lines"
