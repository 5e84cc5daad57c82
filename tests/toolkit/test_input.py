"""What a tool's input refuses before the tool sees it."""

import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from devloop_tools.toolkit import FreeObject, ToolInput
from devloop_tools.toolkit.arguments import InvalidArguments, parse_arguments
from devloop_tools.toolkit.input import MAX_FREE_DEPTH, MAX_FREE_FIELDS


class FreeInput(ToolInput):
    facts: FreeObject
    ratio: float = 0.0


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"登": value}
    return value


def refusal(facts: dict[str, Any]) -> str:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments("free", FreeInput, {"facts": facts})
    [problem] = caught.value.problems
    assert problem.field == "facts"
    return problem.reason.partition(";")[0]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"标题": "\ud800"}, "标题 holds a lone surrogate"),
        ({"a": [{"b": "x\udfff"}]}, "a[0].b holds a lone surrogate"),
        ({"a": {"\ud800": 1}}, "A name in a holds a lone surrogate"),
        ({"a": {"b": math.inf}}, "a.b is not a finite number"),
        ({"a": [1, math.nan]}, "a[1] is not a finite number"),
        ({"n": 2**64}, "n does not fit 64 bits"),
        (nested(MAX_FREE_DEPTH + 1), f"Nested deeper than {MAX_FREE_DEPTH} levels"),
        (nested(800), f"Nested deeper than {MAX_FREE_DEPTH} levels"),
    ],
)
def test_what_could_not_be_written_to_a_file_is_refused(facts: dict[str, Any], reason: str) -> None:
    assert refusal(facts) == reason


def test_a_free_object_has_a_bound_on_its_fields() -> None:
    assert "at most 200 items" in refusal({str(n): n for n in range(MAX_FREE_FIELDS + 1)})


@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=8)
            | st.floats(allow_nan=False, allow_infinity=False),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=4), inner, max_size=3),
            max_leaves=12,
        ),
        max_size=5,
    )
)  # fmt: skip
def test_any_json_object_of_sensible_depth_passes_unchanged(facts: dict[str, Any]) -> None:
    taken = FreeInput(facts=facts).facts
    assert orjson.loads(orjson.dumps(taken)) == facts


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        FreeInput.model_validate({"facts": {}, "fact": 1})


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(InvalidArguments, match=r"ratio: .* is not a finite number"):
        parse_arguments("free", FreeInput, {"facts": {}, "ratio": value})


def test_an_input_can_not_be_changed_by_the_tool() -> None:
    args = FreeInput(facts={})
    with pytest.raises(ValidationError, match="frozen"):
        args.ratio = 2.0
