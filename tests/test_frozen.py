"""Values that can't be changed: as a frozen dataclass is, but for how it is made."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from devloop_tools.frozen import changed, fields_of, frozen


def shout(text: str) -> str:
    return text.upper()


@frozen
class Place:
    """Somewhere."""

    name: str
    x: int
    y: int = 0
    say: Callable[[str], str] = shout

    @property
    def both(self) -> tuple[int, int]:
        return self.x, self.y


@frozen
class Town(Place):
    """Somewhere with people."""

    people: int = 1


@frozen
class Other:
    name: str
    x: int
    y: int = 0
    say: Callable[[str], str] = shout


def test_fields_are_given_by_position_or_name() -> None:
    place = Place("北京", 1, y=2)
    assert (place.name, place.x, place.y, place.both) == ("北京", 1, 2, (1, 2))
    assert Place(x=1, name="北京", y=2) == place


def test_a_default_that_is_a_function_stays_one() -> None:
    assert Place("a", 1).say("abc") == "ABC"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}), (("a",), {}), ((), {"x": 1}), (("a", 1, 2, shout, 3), {}), (("a", 1), {"z": 1}),
        (("a", 1), {"name": "b"}), (("a",), {"z": 1}), (("a", 1, 2), {"y": 2}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_type_error(values: Any, named: Any) -> None:
    with pytest.raises(TypeError, match="Place takes name, x, y, say, each once"):
        Place(*values, **named)


def test_a_value_can_not_be_changed() -> None:
    place: Any = Place("a", 1)
    for name in ("x", "new"):
        with pytest.raises(AttributeError, match=f"Place is frozen: {name} can't be set"):
            setattr(place, name, 5)
    with pytest.raises(AttributeError, match="Place is frozen: x can't be removed"):
        del place.x
    assert fields_of(place) == {"name": "a", "x": 1, "y": 0, "say": shout}


def test_values_of_one_class_with_equal_fields_are_equal_and_hash_alike() -> None:
    assert Place("a", 1) == Place("a", 1, 0)
    assert len({Place("a", 1), Place("a", 1), Place("a", 2)}) == 2
    others: list[object] = [Place("a", 2), Other("a", 1), Town("a", 1), ("a", 1, 0, shout), None]
    assert Place("a", 1) not in others


def test_a_value_is_shown_with_its_fields() -> None:
    assert repr(Town("镇", 1, 2, people=3)).startswith("Town(name='镇', x=1, y=2, say=<function")
    assert repr(Town("镇", 1, 2, people=3)).endswith(", people=3)")


def test_a_class_below_has_the_fields_of_the_one_above_first() -> None:
    assert list(fields_of(Town("a", 1))) == ["name", "x", "y", "say", "people"]
    assert Town("a", 1, 2, shout, 9).people == 9


def test_other_fields_make_another_value() -> None:
    town = Town("a", 1)
    assert changed(town, people=5) == Town("a", 1, people=5)
    assert town.people == 1
    with pytest.raises(TypeError):
        changed(town, size=5)


def test_it_matches_by_position() -> None:
    match Place("a", 1, 2):
        case Place(name, x):
            assert (name, x) == ("a", 1)
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))]
)
def test_a_copy_is_equal(again: Callable[[Place], Place]) -> None:
    assert again(Place("中", 1)) == Place("中", 1)


def test_it_is_what_a_frozen_dataclass_is() -> None:
    twin: Any = dataclasses.make_dataclass(
        "Place", [("name", str), ("x", int), ("y", int, 0)], frozen=True
    )
    ours, theirs = Place("a", 1), twin("a", 1)
    assert hash((ours.name, ours.x, ours.y)) == hash(theirs)
    assert Place.__match_args__[:3] == twin.__match_args__
    assert Place.__doc__ == "Somewhere."
