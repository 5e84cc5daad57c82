import time

from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.domain.documents.alignment import aligned

letters = st.lists(st.sampled_from("abcd甲"), max_size=40)


@given(letters, letters)
def test_pairs_are_equal_and_rise_on_both_sides(before: list[str], after: list[str]) -> None:
    pairs = aligned(before, after)

    assert all(before[left] == after[right] for left, right in pairs)
    assert pairs == sorted(pairs)
    assert len({right for _, right in pairs}) == len({left for left, _ in pairs}) == len(pairs)
    assert [right for _, right in pairs] == sorted(right for _, right in pairs)


@given(letters, letters, letters)
def test_what_was_put_in_takes_no_pair_away(
    head: list[str], new: list[str], tail: list[str]
) -> None:
    whole = [*head, *tail]

    assert len(aligned(whole, [*head, *new, *tail])) == len(whole)


def test_the_longest_part_in_order_stays_when_one_moves() -> None:
    assert aligned("abcdef", "bcdefa") == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_items_that_occur_often_are_paired_too() -> None:
    assert len(aligned("xxyxxyxx", "xyxxyxxx")) == 7


def test_no_input_takes_quadratic_time() -> None:
    before, after = ["x", "y"] * 50_000, ["y", "y", "x"] * 40_000

    started = time.process_time()
    pairs = aligned(before, after)

    assert len(pairs) > 1000
    assert time.process_time() - started < 20
