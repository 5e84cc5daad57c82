"""The figures of the judge of bug reports and of the search for similar ones, as they are told."""

from pathlib import Path

from tests.domain.triage.measuring import OWN_SIMILAR, SEARCHES, SIMILAR, Search, searched

PAGE = Path(__file__).resolve().parents[2] / "docs/triage.md"


def test_five_answers_hold_the_original_of_nine_duplicates_in_ten() -> None:
    frozen = searched(SIMILAR, meaning=True)
    assert frozen.pairs == 60
    assert frozen.recall(5) >= 0.9
    assert searched(OWN_SIMILAR, "check", meaning=True).recall(5) >= 0.79


def test_the_page_tells_how_many_duplicates_are_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, path, part in SEARCHES:
        for how, meaning in (("words", False), ("words and meaning", True)):
            search = searched(path, part, meaning=meaning)
            assert f"| {name} | {how} | {search.pairs} | {recalls(search)} |" in page


def recalls(search: Search) -> str:
    return " | ".join(f"{search.recall(most):.3f}" for most in (1, 3, 5, 10))
