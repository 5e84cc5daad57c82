import gzip
import json
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.cases.case import load_cases

from devloop_tools.domain.reports.model import Format, Kind, ReportParsed, SuiteKind
from devloop_tools.server.bounds import MAX_RESULT_BYTES, bounded_object
from devloop_tools.server.values import to_json_value
from devloop_tools.toolkit import Refused, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.parse_vitest import parse_vitest

CASES = {
    case.short_id: case
    for case in load_cases(Path(__file__).parents[2] / "cases/cases.jsonl")
    if case.group == "I"
}


async def parsed(root: Path, **arguments: Any) -> ReportParsed | Refused:
    ctx = tool_context(root, "tester", unit_id="todo-be")
    result = await call_tool(parse_vitest, arguments, ctx)
    assert isinstance(result, ReportParsed | Refused)
    return result


async def report(root: Path, **arguments: Any) -> ReportParsed:
    result = await parsed(root, **arguments)
    assert isinstance(result, ReportParsed), result
    return result


async def refusal(root: Path, **arguments: Any) -> str:
    result = await parsed(root, **arguments)
    assert isinstance(result, Refused), result
    assert result.hint
    return f"{result.reason} {result.hint}"


async def case(root: Path, short_id: str) -> ReportParsed:
    """A case's report: its text, with what stood on stderr as `2>&1` adds it."""
    given = CASES[short_id].input
    text = given["args"]["report"] + "\n" + given.get("stderr", "")
    return await report(root, text=text, exit_code=given["args"]["exit_code"])


def vitest_json(*tests: dict[str, Any], **more: Any) -> str:
    file = {"assertionResults": list(tests), "name": "/p/t/a.test.ts", "status": "passed"}
    return json.dumps({"numTotalTests": len(tests), "success": True, "testResults": [file]} | more)


def a_test(title: str, status: str = "passed", *messages: str) -> dict[str, Any]:
    return {"ancestorTitles": [], "title": title, "status": status, "failureMessages": messages}


async def test_h_i01_a_suite_that_cannot_be_imported(tmp_path: Path) -> None:
    result = await case(tmp_path, "I01")
    [error] = result.suite_errors
    assert (result.passed, result.totals.passed) == (False, 1)
    assert (error.kind, error.file) == (SuiteKind.LOAD, "/p/t/a.test.ts")
    assert error.message == "Cannot find module './gone' imported from '/p/t/a.test.ts'"


async def test_h_i02_before_all_throws_and_nothing_ran(tmp_path: Path) -> None:
    result = await case(tmp_path, "I02")
    [error] = result.suite_errors
    assert (result.passed, result.totals.skipped, result.totals.failed) == (False, 2, 0)
    assert (error.kind, error.file, error.message) == (SuiteKind.HOOK, "/p/t/a.test.ts", "db down")
    alone = await report(tmp_path, text=CASES["I02"].input["args"]["report"], exit_code=1)
    assert "see the runner's output" in alone.suite_errors[0].message


async def test_h_i03_an_unhandled_rejection_fails_the_run(tmp_path: Path) -> None:
    result = await case(tmp_path, "I03")
    [error] = result.unhandled_errors
    assert (result.passed, error.message, error.file, error.line) == (
        False, "late boom", "t/a.test.ts", 2,
    )  # fmt: skip
    text = CASES["I03"].input["args"]["report"]
    assert (await report(tmp_path, text=text, exit_code=1)).passed is False
    assert (await report(tmp_path, text=text, exit_code=0)).passed is True
    unknown = await report(tmp_path, text=text)
    assert unknown.passed is None
    assert "give exit_code" in unknown.reasons[0]


async def test_h_i04_a_flaky_test_that_passed_on_retry(tmp_path: Path) -> None:
    result = await case(tmp_path, "I04")
    [flaky] = result.flaky
    assert (result.passed, result.totals.failed, result.failures) == (True, 0, [])
    assert (flaky.full_name, flaky.retries) == ("flaky", 2)


async def test_h_i05_snapshots_that_differ_and_obsolete_ones(tmp_path: Path) -> None:
    result = await case(tmp_path, "I05")
    [failure] = result.failures
    assert (result.passed, failure.kind) == (False, Kind.SNAPSHOT)
    assert (failure.file, failure.line, failure.column) == ("/p/t/a.test.ts", 2, 36)
    assert result.snapshots.obsolete_names == ["gone 1"]


async def test_h_i06_text_before_and_after_the_json(tmp_path: Path) -> None:
    result = await case(tmp_path, "I06")
    assert (result.passed, result.totals.failed, result.totals.tests) == (False, 1, 1)


async def test_h_i07_a_report_that_was_written_elsewhere(tmp_path: Path) -> None:
    given = CASES["I07"].input
    said = given["args"]["report"]
    assert "/p/.vitest/json/output.json, which is not in" in await refusal(tmp_path, text=said)
    path = tmp_path / "units/todo-be/.vitest/json/output.json"
    path.parent.mkdir(parents=True)
    path.write_text(given["files"]["/p/.vitest/json/output.json"])

    result = await report(tmp_path, text=said, exit_code=1)

    assert (result.passed, result.totals.skipped) == (False, 1)
    assert [error.kind for error in result.suite_errors] == [SuiteKind.HOOK]


async def test_h_i08_no_test_files_are_not_a_pass(tmp_path: Path) -> None:
    result = await case(tmp_path, "I08")
    assert (result.passed, result.totals.tests) == (False, 0)
    assert result.reasons[0].startswith("no tests")
    allowed = CASES["I08"].input["args"]["report"].replace('"success":false', '"success":true')
    passing = await report(tmp_path, text=allowed, exit_code=0)
    assert passing.passed is False
    assert "no tests" in passing.reasons[0]


async def test_a_file_is_read_and_its_paths_become_the_projects(tmp_path: Path) -> None:
    folder = tmp_path / "units/todo-be"
    (folder / "t").mkdir(parents=True)
    (folder / "t/a.test.ts").write_text("// 测试")
    text = vitest_json(a_test("坏", "failed", "Error: 不对\n    at /p/t/a.test.ts:3:4"))
    (folder / "报告.json").write_text(text, encoding="utf-8")

    result = await report(tmp_path, path="units/todo-be/报告.json", exit_code=1)

    [failure] = result.failures
    assert (failure.file, failure.line) == ("units/todo-be/t/a.test.ts", 3)
    assert (failure.full_name, failure.message) == ("坏", "不对")
    assert failure.stack == ["at units/todo-be/t/a.test.ts:3:4"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
async def test_a_report_with_a_byte_order_mark_is_read(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(vitest_json(a_test("读 a")).encode(encoding))
    assert (await report(tmp_path, path="r.json", exit_code=0)).totals.passed == 1


async def test_exactly_one_of_path_and_text_is_needed(tmp_path: Path) -> None:
    assert "exactly one" in await refusal(tmp_path)
    assert "exactly one" in await refusal(tmp_path, path="a", text="b")


async def test_what_is_not_there_or_not_to_be_read_is_said(tmp_path: Path) -> None:
    assert "gone.json: there is no such file" in await refusal(tmp_path, path="gone.json")
    assert "a/b/gone.json: there is no such" in await refusal(tmp_path, path="a/b/gone.json")
    with pytest.raises(ToolSandboxError):
        await parsed(tmp_path, path="../outside.json")
    (tmp_path / "outside").symlink_to("/etc/passwd")
    with pytest.raises(ToolSandboxError, match="link"):
        await parsed(tmp_path, path="outside")


async def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 50)
    (tmp_path / "r.json.gz").write_bytes(gzip.compress(vitest_json(a_test("a")).encode()))
    assert "core: it is a binary file" in await refusal(tmp_path, path="core")
    assert "gzip" in await refusal(tmp_path, path="r.json.gz")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n",
        "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: 坏',
        "[]",
        '{"testResults": 3}',
        '{"a": "testResults"}',
        "<html><body>testsuite</body></html>",
        "ok",
    ],
)
async def test_what_is_no_report_is_refused_with_what_to_do(text: str, tmp_path: Path) -> None:
    said = await parsed(tmp_path, text=text)
    if isinstance(said, ReportParsed):
        assert said.passed is False
    else:
        assert "--reporter=json --outputFile=FILE" in said.hint


async def test_entities_and_document_types_are_refused(tmp_path: Path) -> None:
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
        ']><testsuites name="&b;"><testsuite name="x"/></testsuites>'
    )
    outside = bomb.replace('"aaaaaaaaaa"', 'SYSTEM "file:///etc/passwd"')
    for text in (bomb, outside):
        assert "document type or entities" in await refusal(tmp_path, text=text)


async def test_deep_and_endless_xml_is_refused(tmp_path: Path) -> None:
    deep = "<testsuites>" + "<testsuite>" * 200
    assert "nested deeper" in await refusal(tmp_path, text=deep)
    (tmp_path / "long.xml").write_text(f'<testsuites name="{"x" * 9_000_000}"><testsuite/>')
    assert "one tag of it is longer" in await refusal(tmp_path, path="long.xml", format="junit")


async def test_deep_json_ends_the_report(tmp_path: Path) -> None:
    text = '{"testResults":[{"assertionResults":[' + '{"a":[' * 500
    assert (await report(tmp_path, text=text)).report_truncated


async def test_a_very_long_message_keeps_its_ends(tmp_path: Path) -> None:
    long = '错 \\ " \n' * 400_000
    text = vitest_json(a_test("a", "failed", f"Error: start {long} end"))
    (tmp_path / "r.json").write_text(text, encoding="utf-8")

    [failure] = (await report(tmp_path, path="r.json", exit_code=1)).failures

    assert failure.message.startswith("start 错")
    assert failure.message.endswith("end")
    assert len(failure.message) < 5_000


async def test_a_log_without_line_ends_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("✓ 没有换行 no line ends " * 300_000)
    assert "no report" in await refusal(tmp_path, path="log")


async def test_more_failures_than_are_listed_are_counted(tmp_path: Path) -> None:
    many = [a_test(f"t {number}", "failed", "Error: 坏" * 50) for number in range(1_000)]
    result = await report(tmp_path, text=vitest_json(*many), exit_code=1)

    assert (result.totals.failed, len(result.failures), result.left_out) == (1_000, 200, 800)
    shown = bounded_object(to_json_value(result), lambda content, ending: ".devloop/results/x.json")
    assert len(orjson.dumps(shown)) <= MAX_RESULT_BYTES
    assert shown["truncated"] is True
    assert shown["totals"]["failed"] == 1_000


@pytest.mark.parametrize(
    ("text", "failed", "passed"),
    [
        ("TAP version 14\n1..2\nok 1 - 好\nnot ok 2 - 坏\n  ---\n  message: 'no'\n  ...\n", 1, 1),
        ("1..2\nok 1 a # SKIP\nnot ok 2 - t/a.test.ts > g > b\n", 1, 0),
        ("1..3\nok 1 - a\nok 2 - b\n", 0, 2),
        ('1..1\nnot ok 1 - a\n   ---\n   message: "open\nstill open', 1, 0),
    ],
)
async def test_other_tap_is_read_too(text: str, failed: int, passed: int, tmp_path: Path) -> None:
    result = await report(tmp_path, text=text, exit_code=int(failed > 0))
    assert (result.format, result.totals.failed, result.totals.passed) == (
        Format.TAP, failed, passed,
    )  # fmt: skip


async def test_windows_line_ends_and_colors_do_not_matter(tmp_path: Path) -> None:
    text = (
        "\x1b[1m RUN \x1b[22m v3.2.7 /p\r\n\r\n\x1b[31m FAIL \x1b[0m a.test.ts > 甲\r\n"
        "Error: \x1b[31m坏\x1b[39m\r\n ❯ a.test.ts:1:2\r\n\r\n      Tests  1 failed (1)\r\n"
        "   Duration  1.50s\r\n"
    )
    result = await report(tmp_path, text=text.replace("FAIL \x1b[0m a", "FAIL \x1b[0m  a"))
    [failure] = result.failures
    assert (failure.full_name, failure.message, failure.line) == ("甲", "坏", 1)
    assert (result.passed, result.duration_ms) == (False, 1500)


@pytest.mark.parametrize(
    "text",
    [
        '{"success":' * 100_000 + '"testResults"',
        "TAP version 13\n" + ("not ok 1 - " + "a # " * 4_000 + "\n") * 50,
        " RUN  v3.2.7 /p\n" + (" ✓ x" + " " * 15_000 + "\n") * 50,
        " RUN  v3.2.7 /p\n" + (" ✓ x" + " [" * 7_500 + "\n") * 50,
        vitest_json(a_test("a", "failed", "Expected: x\n" * 20_000)),
        vitest_json(a_test("a", "failed", "- Expected: \n" * 20_000)),
        vitest_json(a_test("a", "failed", "assert " * 20_000)),
        vitest_json(a_test("a", "failed", "expected " * 20_000 + " to " * 1000)),
        vitest_json(a_test("a", "failed", "E\n    at " + "(" * 1_900 + "\n" + "at x " * 9_000)),
    ],
    ids=range(9),
)
async def test_no_text_takes_long(text: str, tmp_path: Path) -> None:
    start = time.monotonic()
    await parsed(tmp_path, text=text)
    assert time.monotonic() - start < 10
