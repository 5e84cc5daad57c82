"""Holds an answer against what a case expects, each expectation by itself."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.running.probes import Response
from devloop_tools.domain.running.schema_judging import schema_faults

MAX_FAULTS = 20
MAX_SHOWN = 500

_STEP = re.compile(r"\.([\w-]+)|\[([0-9]{1,6})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_ABSENT: Any = object()


class Expectation(BaseModel):
    """One expectation, both sides of it as JSON or text, cut where they are long."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    what: str
    passed: bool
    expected: Any = None
    actual: Any = None


@dataclass(frozen=True, slots=True)
class Expected:
    """What a case expects, its placeholders filled."""

    status: int | None
    headers: Mapping[str, str]
    json: Any
    schema: Any
    body_contains: str | None


def judged(expected: Expected, response: Response) -> list[Expectation]:
    """Every expectation, passed or not."""
    return [
        *_status(expected, response),
        *_headers(expected, response),
        *_json(expected, response),
        *_schema(expected, response),
        *_contains(expected, response),
    ]


def selected(selector: str, response: Response) -> Any:
    """The part of an answer that `selector` names. Raises ValueError that says what is wrong."""
    if selector == "status":
        return response.status
    if selector == "body":
        return text_of(response)
    if selector.lower().startswith("headers."):
        value = header(response, selector.partition(".")[2])
        if value is None:
            raise ValueError("there is no such header")
        return value
    body = json_of(response)
    if body is _ABSENT:
        raise ValueError("the body is not JSON")
    if selector.startswith("/"):
        steps: list[str] = [
            step.replace("~1", "/").replace("~0", "~") for step in selector[1:].split("/")
        ]
    else:
        steps = _steps(selector)
    for depth, step in enumerate(steps):
        body = _below(body, step)
        if body is _ABSENT:
            raise ValueError(f"the body has no {'.'.join(steps[: depth + 1])}")
    return body


def text_of(response: Response) -> str:
    """The body as text."""
    return response.body.decode("utf-8", "replace")


def json_of(response: Response) -> Any:
    """The body as JSON; a mark of its own where it is none."""
    try:
        # Python reads NaN and Infinity, which no other client of the unit does (RFC 8259, 6).
        return json.loads(response.body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return _ABSENT


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def header(response: Response, name: str) -> str | None:
    """A header's value, several joined as HTTP does."""
    values = [value for key, value in response.headers if key.lower() == name.lower()]
    return ", ".join(values) if values else None


def shown(value: Any) -> Any:
    """A value for a result: cut where its JSON is long."""
    if value is _ABSENT:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _status(expected: Expected, response: Response) -> Iterator[Expectation]:
    if expected.status is not None:
        yield Expectation(
            what="status",
            passed=response.status == expected.status,
            expected=expected.status,
            actual=response.status,
        )


def _headers(expected: Expected, response: Response) -> Iterator[Expectation]:
    for name, value in expected.headers.items():
        actual = header(response, name)
        fits = actual is not None and (actual == value or actual.startswith(f"{value};"))
        yield Expectation(what=f"headers.{name}", passed=fits, expected=value, actual=shown(actual))


def _json(expected: Expected, response: Response) -> Iterator[Expectation]:
    if expected.json is None:
        return
    body = json_of(response)
    if body is _ABSENT:
        text = shown(text_of(response))
        yield Expectation(what="json", passed=False, expected=shown(expected.json), actual=text)
        return
    faults = list(_differences(expected.json, body, "json"))
    for where, wanted, actual in faults[:MAX_FAULTS]:
        yield Expectation(what=where, passed=False, expected=shown(wanted), actual=shown(actual))
    if not faults:
        yield Expectation(what="json", passed=True, expected=shown(expected.json))


def _schema(expected: Expected, response: Response) -> Iterator[Expectation]:
    if expected.schema is None:
        return
    body = json_of(response)
    found = ["the body is not JSON"] if body is _ABSENT else schema_faults(expected.schema, body)
    for fault in found[:MAX_FAULTS]:
        yield Expectation(what="schema", passed=False, actual=shown(fault))
    if not found:
        yield Expectation(what="schema", passed=True)


def _contains(expected: Expected, response: Response) -> Iterator[Expectation]:
    if expected.body_contains is not None:
        text = text_of(response)
        yield Expectation(
            what="body_contains",
            passed=expected.body_contains in text,
            expected=shown(expected.body_contains),
            actual=shown(text),
        )


def _differences(wanted: Any, actual: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Where `actual` lacks what is wanted: objects may hold more, lists are of one length."""
    if isinstance(wanted, dict) and isinstance(actual, dict):
        for name, value in wanted.items():
            yield from _differences(value, actual.get(name, _ABSENT), f"{where}.{name}")
    elif isinstance(wanted, list) and isinstance(actual, list) and len(wanted) == len(actual):
        for index, value in enumerate(wanted):
            yield from _differences(value, actual[index], f"{where}[{index}]")
    elif isinstance(wanted, bool) != isinstance(actual, bool) or wanted != actual:
        yield where, wanted, actual


def _steps(selector: str) -> list[str]:
    path = selector.removeprefix("$")
    path = path if path.startswith((".", "[")) or not path else f".{path}"
    steps, end = [], 0
    while end < len(path):
        match = _STEP.match(path, end)
        if match is None:
            raise ValueError(f"{selector} is no path: write $.items[0].id")
        steps.append(next(part for part in match.groups() if part is not None))
        end = match.end()
    return steps


def _below(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, _ABSENT)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return _ABSENT
