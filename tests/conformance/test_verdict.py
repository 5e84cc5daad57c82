"""What the comparison with the expected failures lets pass, and what it doesn't."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.conformance.suites import EXPECTED, SUITES
from tests.conformance.verdict import BadEntry, Check, Status, judge, load_expected

PASSED = Check("工具 tools", "list", Status.SUCCESS)
FAILED = Check("http", "header", Status.FAILURE, "Expected 400")
WARNED = Check("http", "retry", Status.WARNING)
REASON = "HTTP's own."


def test_a_failure_that_is_expected_passes() -> None:
    verdict = judge([PASSED, FAILED, WARNED], {"http": REASON})
    assert verdict.ok
    assert (verdict.passed, list(verdict.expected)) == (1, [FAILED, WARNED])


@pytest.mark.parametrize("check", [FAILED, WARNED])
def test_a_failure_that_nobody_expects_fails(check: Check) -> None:
    verdict = judge([PASSED, check], {})
    assert not verdict.ok
    assert list(verdict.unexpected) == [check]


def test_an_entry_for_one_check_excuses_no_other() -> None:
    verdict = judge([PASSED, FAILED, WARNED], {"http:header": REASON})
    assert (list(verdict.expected), list(verdict.unexpected)) == ([FAILED], [WARNED])


@pytest.mark.parametrize("name", ["工具 tools", "工具 tools:list", "gone", "http:gone"])
def test_an_entry_that_no_longer_fails_fails(name: str) -> None:
    verdict = judge([PASSED, FAILED], {"http:header": REASON, name: REASON})
    assert not verdict.ok
    assert list(verdict.stale) == [name]


def test_the_worst_of_several_checks_with_one_id_counts() -> None:
    again = Check("http", "header", Status.SUCCESS)
    assert list(judge([PASSED, FAILED, again], {}).unexpected) == [FAILED]
    assert list(judge([PASSED, again, FAILED], {}).unexpected) == [FAILED]


def test_a_suite_in_which_nothing_passed_fails() -> None:
    skipped = Check("tools", "list", Status.SKIPPED)
    assert not judge([], {}).ok
    assert not judge([skipped], {}).ok


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"http": ""}, "http has no reason"),
        ({"http": " "}, "http has no reason"),
        ({"http": None}, "http has no reason"),
        ({"http": REASON, "http:header": REASON}, "http:header is part of an entry"),
    ],
)
def test_an_entry_needs_a_reason_and_a_place(
    tmp_path: Path, entries: Mapping[str, object], says: str
) -> None:
    lines = [f'  "{name}": {reason or "null"}' for name, reason in entries.items()]
    file = tmp_path / "expected.yml"
    file.write_text("\n".join(["suite:", *lines]), encoding="utf-8")
    with pytest.raises(BadEntry, match=says):
        load_expected(file)


def test_the_expected_failures_are_of_suites_that_are_run() -> None:
    assert load_expected(EXPECTED).keys() <= {suite.name for suite in SUITES}
