import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.domain.reports.json_events import (
    LONGEST_PIECE,
    JsonBroken,
    JsonEvents,
    new_builder,
)

PIECES = ("\\n", "\\u4e2d", '\\"', "\\\\", "x", "中", "a long run without any escape ", '\\\\\\"')


def value_of(text: str, size: int) -> object:
    events, builder = JsonEvents(), new_builder()
    for start in range(0, len(text), size):
        for event, value in events.feed(text[start : start + size]):
            builder.event(event, value)
    events.close()
    return builder.value


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("shift", range(8))
def test_a_long_string_is_cut_and_ends_where_it_did(piece: str, shift: int) -> None:
    body = "y" * shift + piece * (8 * LONGEST_PIECE // len(piece))
    text = f'[["{body}", "after"], {{"a": 1}}]'

    found = value_of(text, 3 * LONGEST_PIECE)

    whole = json.loads(text)
    assert isinstance(found, list)
    assert found[0][1:] + found[1:] == ["after", {"a": 1}]
    assert len(found[0][0]) < len(whole[0][0]) / 2
    assert found[0][0][:100] == whole[0][0][:100]
    assert set(found[0][0]) <= set(whole[0][0])


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=40),
    st.integers(min_value=500, max_value=3000),
    st.integers(min_value=1000, max_value=70_000),
)
def test_what_is_cut_never_tears_an_escape(parts: list[str], times: int, size: int) -> None:
    text = f'["{"".join(parts) * times}", 1]'
    found = value_of(text, size)
    assert isinstance(found, list)
    assert found[1:] == [1]
    assert set(found[0]) <= set(json.loads(text)[0])


@given(
    st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner), max_leaves=9)
)
def test_short_values_are_read_whole(value: object) -> None:
    assert value_of(json.dumps([value]), 7) == [value]


@pytest.mark.parametrize("text", ['{"a": [1, 2', '{"a": nope', "[" * 300, '["\\'])
def test_what_is_broken_is_said(text: str) -> None:
    with pytest.raises(JsonBroken):
        value_of(text, 100)


def test_what_follows_the_value_is_left_alone() -> None:
    assert value_of('{"a": 1} Done in 2s', 100) == {"a": 1}
