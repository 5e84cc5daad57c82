"""JSON Merge Patch: the examples of RFC 7396, appendix A, and what holds for all of them."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devloop_tools.domain.merge_patch import merge_patch

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("original", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(original: Any, patch: Any, result: Any) -> None:
    assert merge_patch(original, patch) == result


@settings(max_examples=50)
@given(JSON, JSON)
def test_neither_argument_is_altered(original: Any, patch: Any) -> None:
    before = copy.deepcopy((original, patch))
    merge_patch(original, patch)
    assert (original, patch) == before


@settings(max_examples=50)
@given(JSON, JSON)
def test_a_patch_that_is_applied_twice_changes_nothing_more(original: Any, patch: Any) -> None:
    once = merge_patch(original, patch)
    assert merge_patch(once, patch) == once


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return value


def _difference(original: Any, wanted: Any) -> Any:
    """A patch that makes `wanted` of `original`, where `wanted` has no null in its objects."""
    if not isinstance(original, dict) or not isinstance(wanted, dict):
        return wanted
    changed = {
        key: _difference(original.get(key), value)
        for key, value in wanted.items()
        if key not in original or original[key] != value or value == {}
    }
    return changed | {key: None for key in original if key not in wanted}


@settings(max_examples=50)
@given(st.dictionaries(st.text(max_size=2), JSON, max_size=4), JSON.map(_without_null))
def test_there_is_a_patch_from_any_object_to_any_value_without_nulls(
    original: dict[str, Any], wanted: Any
) -> None:
    assert merge_patch(original, _difference(original, wanted)) == wanted
