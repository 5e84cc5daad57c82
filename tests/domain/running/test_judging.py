import json
import time
from typing import Any

import pytest

from devloop_tools.domain.running.judging import Expectation, Expected, judged, selected
from devloop_tools.domain.running.probes import Response

BODY = {"items": [{"id": 1, "title": "买牛奶"}, {"id": 2, "title": "Call"}], "next": None, "a": 1.0}


def response(body: Any = BODY, *headers: tuple[str, str]) -> Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    kinds = headers or (("Content-Type", "application/json; charset=utf-8"), ("ETag", '"7"'))
    return Response("127.0.0.1:1", 200, kinds, content, cut=False, duration_ms=1)


def expected(**given: Any) -> Expected:
    nothing: dict[str, Any] = {
        "status": None,
        "headers": {},
        "json": None,
        "schema": None,
        "body_contains": None,
    }
    return Expected(**{**nothing, "headers": {}, **given})


def failed(body: Any = BODY, **given: Any) -> list[Expectation]:
    return [one for one in judged(expected(**given), response(body)) if not one.passed]


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"next": None},
        {"a": 1},
        {"items": [{"id": 1}, {"title": "Call"}]},
        BODY,
    ],
)
def test_a_subset_fits(wanted: Any) -> None:
    assert failed(json=wanted) == []


@pytest.mark.parametrize(
    ("wanted", "where"),
    [
        ({"items": [{"id": 1}]}, "json.items"),
        ({"items": [{"id": 1}, {"id": 3}]}, "json.items[1].id"),
        ({"gone": None}, "json.gone"),
        ({"a": True}, "json.a"),
        ({"next": 0}, "json.next"),
        ([1], "json"),
        ({"items": {"0": 1}}, "json.items"),
    ],
)
def test_what_is_missing_or_differs_is_named(wanted: Any, where: str) -> None:
    [fault] = failed(json=wanted)
    assert fault.what == where


def test_each_expectation_is_judged_with_both_sides() -> None:
    given = {"status": 201, "headers": {"content-type": "application/json", "etag": "8"},
             "body_contains": "买"}  # fmt: skip
    found = judged(expected(**given), response(json.dumps(BODY, ensure_ascii=False).encode()))
    assert [(one.what, one.passed, one.expected) for one in found] == [
        ("status", False, 201),
        ("headers.content-type", True, "application/json"),
        ("headers.etag", False, "8"),
        ("body_contains", True, "买"),
    ]
    assert [one.actual for one in found[:3]] == [200, "application/json; charset=utf-8", '"7"']


def test_a_pattern_that_would_go_back_for_ever_is_judged_at_once() -> None:
    before = time.monotonic()
    schema = {"properties": {"名": {"pattern": "^(a+)+$"}}}
    [fault] = failed(json.dumps({"名": "a" * 200 + "!"}).encode(), schema=schema)
    assert "does not match" in str(fault.actual)
    assert time.monotonic() - before < 1


def test_a_pattern_that_can_not_be_judged_is_named_with_what_to_do() -> None:
    [fault] = failed(b'{"name": "a"}', schema={"properties": {"name": {"pattern": "^(?!x)"}}})
    assert str(fault.actual).startswith("the pattern ^(?!x) can't be judged: look-around")
    assert "; write it without look-ahead" in str(fault.actual)


def test_a_schema_says_where_the_body_does_not_fit() -> None:
    schema = {"properties": {"items": {"items": {"properties": {"id": {"maximum": 1}}}}}}
    [fault] = failed(schema=schema)
    assert fault.actual == "$.items[1].id: 2 is greater than the maximum of 1"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, "the schema itself is invalid"),
        ({"$ref": "http://127.0.0.1:1/x.json"}, "the schema refers to http://127.0.0.1:1/x.json"),
        ([], "the schema itself is invalid"),
    ],
)
def test_a_schema_that_is_none_is_said_and_nothing_is_fetched(schema: Any, message: str) -> None:
    [fault] = failed(schema=schema)
    assert fault.actual.startswith(message)


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000, b"[NaN]"])
def test_a_body_that_is_no_json_is_shown(body: bytes) -> None:
    assert [one.what for one in failed(body, json={}, schema={})] == ["json", "schema"]


def test_long_values_are_cut() -> None:
    [fault] = failed({"x": "y" * 10_000}, json={"x": "z"})
    assert len(fault.actual) == 501


@pytest.mark.parametrize(
    ("selector", "value"),
    [
        ("$.items[0].id", 1),
        ("items[1].title", "Call"),
        ("$['items'][0][\"title\"]", "买牛奶"),
        ("/items/1/id", 2),
        ("$", BODY),
        ("$.next", None),
        ("headers.etag", '"7"'),
        ("status", 200),
    ],
)
def test_a_part_of_an_answer_is_found(selector: str, value: Any) -> None:
    assert selected(selector, response()) == value


@pytest.mark.parametrize(
    ("selector", "reason"),
    [
        ("$.items[9]", r"the body has no items\.9"),
        ("$.items.id", "the body has no"),
        ("$..id", "is no path"),
        ("headers.gone", "no such header"),
    ],
)
def test_a_part_that_is_not_there_is_said(selector: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        selected(selector, response())


def test_the_body_as_text_needs_no_json() -> None:
    assert selected("body", response(b"plain")) == "plain"
    with pytest.raises(ValueError, match="not JSON"):
        selected("$.a", response(b"plain"))
