"""Forms that no recorded run has: other writers, other settings, and what is too much."""

from pathlib import Path

import pytest

from devloop_tools.domain.reports.model import Format, Kind, ReportParsed, SuiteKind
from devloop_tools.domain.reports.reading import read_report
from devloop_tools.domain.reports.sources import Source
from devloop_tools.domain.reports.tally import MAX_LISTED
from devloop_tools.toolkit.testing import tool_context

CONSOLE = "\n RUN  v3.2.7 /p\n\n"
END = "\n      Tests  1 failed (1)\n   Duration  1m 2.5s\n"


def read(text: str, root: Path, exit_code: int | None = 1) -> ReportParsed:
    ctx = tool_context(root, "tester", unit_id="todo-be")
    return read_report(ctx.workspace, Source("text", text=text), Format.AUTO, exit_code)


def test_junit_of_other_writers_may_say_file_and_line(tmp_path: Path) -> None:
    text = (
        '<testsuites name="jest tests" time="1.5"><testsuite name="组">'
        '<testcase classname="组 a" name="组 > a" file="test/a.test.js" line="7" time="x">'
        '<failure message="Error: 坏" type="Error"/></testcase>'
        '<testcase classname="组 b" name="b"><skipped message="以后"/></testcase>'
        '<testcase name="c"><error type="java.lang.IllegalStateException">at Foo.bar(Foo.java:3)'
        "</error></testcase></testsuite></testsuites>"
    )
    report = read(text, tmp_path)
    named, other = report.failures
    assert (report.tool, report.duration_ms, report.totals.skipped) == ("jest", 1500, 1)
    assert (named.file, named.line, named.message) == ("test/a.test.js", 7, "坏")
    assert (other.full_name, other.file) == ("c", "")
    assert "IllegalStateException" in other.message


def test_junit_with_more_failures_than_are_kept_counts_them(tmp_path: Path) -> None:
    case = '<testcase classname="a.test.ts" name="t%d"><failure>坏</failure></testcase>'
    cases = "".join(case % at for at in range(3 * MAX_LISTED))
    report = read(f'<testsuites><testsuite name="s">{cases}</testsuite></testsuites>', tmp_path)
    assert (report.totals.failed, len(report.failures)) == (3 * MAX_LISTED, MAX_LISTED)
    assert report.left_out == 2 * MAX_LISTED


def test_files_that_do_not_load_are_bounded_too(tmp_path: Path) -> None:
    case = '<testcase classname="%s" name="%s"><failure>坏</failure></testcase>'
    suites = "".join(
        f'<testsuite name="{at}">{case % (f"t/{at}.test.ts", f"t/{at}.test.ts")}</testsuite>'
        for at in range(MAX_LISTED + 5)
    )
    report = read(f"<testsuites>{suites}</testsuites>", tmp_path)
    assert (len(report.suite_errors), report.left_out) == (MAX_LISTED, 5)
    assert report.suite_errors[0].kind is SuiteKind.LOAD


def test_one_error_of_two_tests_is_that_of_both(tmp_path: Path) -> None:
    text = (
        f"{CONSOLE} FAIL  |单元| a.test.ts > g > one\n FAIL  |单元| a.test.ts > g > two\n"
        f"Error: 坏\n ❯ a.test.ts:3:4\n{END}"
    )
    report = read(text, tmp_path)
    assert [(f.file, f.full_name, f.line) for f in report.failures] == [
        ("a.test.ts", "g > one", 3),
        ("a.test.ts", "g > two", 3),
    ]
    assert report.duration_ms == 62_500


def test_errors_that_are_only_counted_fail_the_run(tmp_path: Path) -> None:
    text = f"{CONSOLE}      Tests  1 passed (1)\n     Errors  2 errors\n   Duration  10ms\n"
    report = read(text, tmp_path, None)
    assert report.passed is False
    assert "2 errors outside of tests" in report.unhandled_errors[0].message


def test_snapshots_of_several_sorts_are_told_over_lines(tmp_path: Path) -> None:
    text = (
        f"{CONSOLE}  Snapshots  1 failed\n             2 obsolete\n             ↳ a.test.ts\n"
        "               · 旧的 1\n      Tests  1 failed (1)\n   Duration  10ms\n"
    )
    snapshots = read(text, tmp_path).snapshots
    assert (snapshots.mismatched, snapshots.obsolete) == (1, 2)
    assert snapshots.obsolete_names == ["旧的 1"]


def test_console_with_more_failures_than_are_kept_counts_them(tmp_path: Path) -> None:
    block = " FAIL  a.test.ts > t%d\nError: 坏\n ❯ a.test.ts:3:4\n\n⎯⎯⎯[1/9]⎯\n\n"
    blocks = "".join(block % at for at in range(3 * MAX_LISTED))
    text = f"{CONSOLE}{blocks}      Tests  {3 * MAX_LISTED} failed ({3 * MAX_LISTED})\n{END}"
    report = read(text, tmp_path)
    assert len(report.failures) == MAX_LISTED
    assert report.left_out == 2 * MAX_LISTED


def test_errors_outside_of_tests_are_bounded_too(tmp_path: Path) -> None:
    block = "⎯⎯⎯⎯ Uncaught Exception ⎯⎯⎯⎯⎯\n".replace("Uncaught", "Unhandled") + "Error: 坏%d\n"
    blocks = "".join(block % at for at in range(MAX_LISTED + 3))
    report = read(f"{CONSOLE}{blocks}{END}", tmp_path)
    assert (len(report.unhandled_errors), report.left_out) == (MAX_LISTED, 3)


@pytest.mark.parametrize(
    ("message", "kind", "expected", "actual"),
    [
        ("expected [ 1 ] to include 2", Kind.ASSERTION, "include 2", "[ 1 ]"),
        ("expected 1 not to be 1 // Object.is equality", Kind.ASSERTION, "not 1", "1"),
        ("expected 'x' to be 'x'", Kind.ASSERTION, "'x'", "'x'"),
        ("expected '6' to be 6", Kind.ASSERTION, "6", "'6'"),
        ("甲: expected 1 to equal 2", Kind.ERROR, "2", "1"),
        ("TypeError: a is not a function", Kind.ERROR, None, None),
    ],
)
def test_a_message_alone_tells_the_values(
    message: str, kind: Kind, expected: str | None, actual: str | None, tmp_path: Path
) -> None:
    quoted = message.replace("<", "&lt;")
    case = f'<testcase classname="a.test.ts" name="t"><failure>{quoted}</failure></testcase>'
    [failure] = read(f"<testsuites><testsuite>{case}</testsuite></testsuites>", tmp_path).failures
    assert (failure.kind, failure.expected, failure.actual) == (kind, expected, actual)


def test_a_report_in_the_project_is_found_by_its_own_paths(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test/a.test.ts").write_text("")
    text = f"{CONSOLE} FAIL  {tmp_path}/test/a.test.ts > t\nError: 坏\n{END}"
    assert read(text, tmp_path).failures[0].file == "test/a.test.ts"
    text = f"{CONSOLE} FAIL  test/gone.test.ts > t\nError: 坏\n ❯ /p/test/gone.test.ts:1:2\n{END}"
    [failure] = read(text, tmp_path).failures
    assert (failure.file, failure.stack) == ("test/gone.test.ts", ["at test/gone.test.ts:1:2"])
