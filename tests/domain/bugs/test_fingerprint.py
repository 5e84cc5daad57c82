from typing import Any

import pytest

from devloop_tools.domain.bugs.fingerprint import fingerprints
from devloop_tools.domain.bugs.records import Evidence, Report, Severity

EARLIER = "sha256:8939a106603761486f366dbc698bc25f8b2d40da542174517a5b90dfcbb15d47"
"""Of a report with a port and a time of day, as it was written while they counted."""

PLAIN = {
    "title": "登录失败 Login fails",
    "severity": Severity.MAJOR,
    "unit_id": "todo-be",
    "expected": "200 within 300 ms",
    "actual": "500 after 20 ms",
}


def of(**changes: Any) -> str:
    return fingerprints(Report.model_validate(PLAIN | changes))[0]


def at(path: str, line: int) -> list[Evidence]:
    return [Evidence(path=path, line=line, quote="x")]


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "  登录失败, login FAILS!"},
        {"title": "登录失败\u3000login-fails"},
        {"severity": Severity.MINOR, "category": "flaky", "steps": "curl"},
        {"actual": "500 after 31 ms."},
        {"actual": "500  after\n1.5 s"},
    ],
)
def test_the_same_failure_in_another_dress_is_the_same(changes: dict[str, Any]) -> None:
    assert of(**changes) == of()


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "登录成功 Login fails"},
        {"unit_id": "todo-fe"},
        {"unit_id": None},
        {"expected": "201 within 300 ms"},
        {"expected": "200 within 400 ms"},
        {"actual": "404 after 20 ms"},
        {"actual": "500 After 20 ms"},
        {"expected": "200 at 10:15"},
        {"actual": "500 after 20 ms, version 1:2:3"},
        {"evidence": at("a.ts", 1)},
    ],
)
def test_another_failure_is_another(changes: dict[str, Any]) -> None:
    assert of(**changes) != of()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 0x7f01ab", "at 0x7f99cd"),
        ("2026-11-30T10:00:00.123Z boom", "2026-12-01 11:22:33+08:00 boom"),
        ("GET http://127.0.0.1:41231/a", "GET http://127.0.0.1:50001/a"),
        ("user 6f1c2b1e-0000-4000-8000-0123456789ab", "user 00000000-1111-4222-8333-444444444444"),
        ("etag 9f86d081884c7d65", "etag 0f86d081884c7d66"),
        ("/tmp/pytest-1/a.db is locked", "/tmp/pytest-22/b.db is locked"),
        ("src/a.ts:12:5 boom", "src/a.ts:13:7 boom"),
        ("第 12 行 错误", "第13行 错误"),
        ("nothing on port 3000", "nothing on port 41231"),
        ("PORT=3000 is taken", "PORT=3001 is taken"),
        ("端口 3000 被占用", "端口 41231 被占用"),
        ("端口号：3000被占用", "端口号：3001被占用"),
        ("EADDRINUSE :::3000", "EADDRINUSE :::41231"),
        ("http://[::1]:3000/a", "http://[::1]:3001/a"),
        ("bound to 0.0.0.0:80", "bound to 0.0.0.0:8080"),
        ("[10:22:33.123] boom", "[9:00:01.5] boom"),
        ("上午10:22登录失败", "上午9:05登录失败"),
        ("fails at 10:22 pm", "fails at 11:45 pm"),
    ],
)
def test_what_changes_from_run_to_run_counts_as_one(one: str, other: str) -> None:
    assert of(actual=one) == of(actual=other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("viewport 1024", "viewport 768"),
        ("status: 404", "status: 500"),
        ("ratio 16:90", "ratio 16:91"),
        ("port of call", "port of entry"),
        ("std::30", "std::31"),
    ],
)
def test_other_numbers_count(one: str, other: str) -> None:
    assert of(actual=one) != of(actual=other)


def test_a_port_counts_as_one_where_it_is_expected_too() -> None:
    assert of(expected="listens on port 3000") == of(expected="listens on port 3001")


def test_what_earlier_rules_wrote_is_known_still() -> None:
    report = Report.model_validate(PLAIN | {"actual": "no answer at 10:15 on port 3000 in 5 s."})
    assert fingerprints(report)[1] == EARLIER


def test_the_place_is_the_first_quoted_file_and_no_line() -> None:
    assert of(evidence=at("src/a.ts", 3)) == of(evidence=[*at("./src/a.ts", 9), *at("b.ts", 1)])
    assert of(evidence=at("src/a.ts", 3)) != of(evidence=at("src/b.ts", 3))
