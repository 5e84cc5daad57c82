import pytest

from devloop_tools.domain.documents.term_filters import may_hold, term_filter

TERMS = [f"{word}{number}" for word in ("term", "部署", "回滚") for number in range(700)]


def test_no_term_that_is_held_is_left_out() -> None:
    stored = term_filter(TERMS)
    assert all(may_hold(stored, term) for term in TERMS)


def test_few_that_are_not_held_are_named() -> None:
    stored = term_filter(TERMS)
    others = [f"{word}-{number}" for word in ("other", "别的") for number in range(2000)]
    wrong = sum(may_hold(stored, term) for term in others)
    assert wrong / len(others) < 0.05


def test_a_filter_takes_a_byte_a_term() -> None:
    assert len(term_filter(TERMS)) == 4 * len(TERMS) // 3


@pytest.mark.parametrize("terms", [[], ["𠮷野"], ["a"]])
def test_a_small_filter_is_one_too(terms: list[str]) -> None:
    stored = term_filter(terms)
    assert all(may_hold(stored, term) for term in terms)
    assert not may_hold(stored, "absent")
