"""Whatever a tool returned, as JSON."""

import json
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from devloop_tools.server.values import SAFE_INTEGER, NotJson, to_json_value


class Colour(Enum):
    RED = "红"
    BIG = 2**60


class Word(StrEnum):
    HELLO = "你好"


class Number(IntEnum):
    ONE = 1


class Model(BaseModel):
    when: datetime
    where: Path
    colour: Colour = Colour.RED


class Shouted(str):
    """A str with a mind of its own."""

    def __str__(self) -> str:
        return "!"


@dataclass
class Point:
    x: float
    inner: Any = None


Pair = namedtuple("Pair", "left right")

UNIX = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (0, 0),
        (SAFE_INTEGER, SAFE_INTEGER),
        (SAFE_INTEGER + 1, "9007199254740993"),
        (-SAFE_INTEGER - 1, "-9007199254740993"),
        (10**400, "1" + "0" * 400),
        (1.5, 1.5),
        (float("nan"), None),
        (float("-inf"), None),
        ("你好 hello", "你好 hello"),
        ("a\ud800b\udfff", "a?b?"),
        (Shouted("甲"), "甲"),
        (Colour.RED, "红"),
        (Colour.BIG, "1152921504606846976"),
        (Word.HELLO, "你好"),
        (Number.ONE, 1),
        (UNIX, "2025-01-02T03:04:05+00:00"),
        (date(2025, 1, 2), "2025-01-02"),
        (time(3, 4), "03:04:00"),
        (timedelta(minutes=1), 60.0),
        (Path("/tmp/甲"), "/tmp/甲"),
        (Path("b\udcff.md"), "b?.md"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (Decimal("1.10"), "1.10"),
        (b"\xff\x00ok", "\ufffd\x00ok"),
        (bytearray("甲".encode()), "甲"),
        ({3, 10, 2}, [2, 3, 10]),
        (frozenset({"乙", "甲"}), ["乙", "甲"]),
        ({1: 0, "a": 1}.keys(), ["a", 1]),
        ((1, (2,)), [1, [2]]),
        (Pair(1, "乙"), [1, "乙"]),
        (MappingProxyType({"甲": OrderedDict(b=[float("inf")])}), {"甲": {"b": [None]}}),
        (Point(float("nan"), Point(1.0)), {"x": None, "inner": {"x": 1.0, "inner": None}}),
        (
            Model(when=UNIX, where=Path("甲.md")),
            {"when": "2025-01-02T03:04:05+00:00", "where": "甲.md", "colour": "红"},
        ),
    ],
)
def test_a_value_has_a_form_that_every_client_reads(value: object, expected: object) -> None:
    assert to_json_value(value) == expected
    assert type(to_json_value(value)) is type(expected)
    json.loads(orjson.dumps(to_json_value(value)))


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("甲", "甲"),
        ("b\udcff", "b?"),
        (1, "1"),
        (2**60, "1152921504606846976"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
        ((2, "三"), '[2,"三"]'),
        (Colour.RED, "红"),
        (date(2025, 1, 2), "2025-01-02"),
        (Path("a/b"), "a/b"),
        (b"x", "x"),
    ],
)
def test_a_key_is_written_as_its_value_would_be(key: object, expected: str) -> None:
    assert to_json_value({key: 1}) == {expected: 1}


@pytest.mark.parametrize(
    "value",
    [object(), (i for i in "ab"), 1j, Point, len, [object()], {object(): 1}, SecretStr("s3cret")],
)
def test_what_json_has_no_form_for_is_named_by_its_type(value: object) -> None:
    with pytest.raises(NotJson, match=r"returned a \w+, which is not JSON") as caught:
        to_json_value(value)
    assert " at 0x" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def _holding_itself() -> Any:
    value: list[Any] = []
    value.extend([value, value])
    return value


def _sharing() -> Any:
    value: list[Any] = []
    for _ in range(60):
        value = [value, value]
    return value


def _deep() -> Any:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": value}
    return value


@pytest.mark.parametrize("make", [_holding_itself, _sharing, _deep])
def test_a_value_without_a_reasonable_end_is_refused(make: Any) -> None:
    with pytest.raises(NotJson, match="nested too deeply, too large, or holds itself"):
        to_json_value(make())


def test_a_model_that_breaks_its_own_types_is_a_fault() -> None:
    broken = Model.model_construct(when="yesterday", where=Path("甲"))
    with pytest.raises(ValueError, match="when"):
        to_json_value(broken)


_VALUES = st.recursive(
    st.none()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.decimals(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=15,
)


@settings(max_examples=30, deadline=None)
@given(_VALUES)
def test_whatever_comes_out_is_strict_json(value: object) -> None:
    orjson.loads(orjson.dumps(to_json_value(value)))
