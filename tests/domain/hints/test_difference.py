import pytest

from devloop_tools.domain.hints.difference import difference


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ("7", "6", "off_by_one"),
        ("7", "-7", "sign"),
        ("12.5", "1250", "scale"),
        ("7", "3", "other"),
        ("true", "false", "inverted"),
        ("True", "False", "inverted"),
        ("[ 'a', 'b' ]", "[ 'b', 'a' ]", "order"),
        ("甲 乙", "甲  乙", "space"),
        ("Tea", "tea", "case"),
        ("'6'", "6", "type"),
        ("7", "undefined", "nothing"),
        ("7", "NaN", "nothing"),
        ("[1]", "None", "nothing"),
        ("ValueError", "nothing was raised", "not_raised"),
        ("甲", "乙", "other"),
    ],
)
def test_a_difference_has_a_sort(expected: str, actual: str, found: str) -> None:
    assert difference(expected, actual) == found


@pytest.mark.parametrize(("expected", "actual"), [(None, "1"), ("1", None), ("[ … ]", "[ … ]")])
def test_nothing_is_said_of_what_is_not_known(expected: str | None, actual: str | None) -> None:
    assert difference(expected, actual) is None
