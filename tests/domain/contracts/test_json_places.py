"""Where a value stands in JSON, whatever its spelling."""

import pytest

from devloop_tools.domain.contracts.json_places import Step, offset_of

SOURCE = ' {"a" : [1, {"名": "\\"]}", "b\\u0041": null}, [] ] ,\n"c":{}, "d": 1, "d": 2}'


@pytest.mark.parametrize(
    ("steps", "starts"),
    [
        ((), '{"a"'),
        (("a",), "[1,"),
        (("a", 0), "1,"),
        (("a", 1, "名"), '"\\"]}"'),
        (("a", 1, "bA"), "null"),
        (("a", 2), "[]"),
        (("c",), "{}"),
        (("d",), "2}"),
        (("c", "x", "y"), "{}"),
        (("a", 7), "[1,"),
        (("a", "名"), "[1,"),
        (("d", "z"), "2}"),
    ],
)
def test_steps_lead_to_the_place_of_a_value(steps: tuple[Step, ...], starts: str) -> None:
    assert SOURCE[offset_of(SOURCE, steps) :].startswith(starts)
