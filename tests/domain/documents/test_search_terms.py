import pytest

from devloop_tools.domain.documents.search_terms import index_terms, query_terms

GLUED = "步2 重跑gen-itgc后50条悬空引用清零,接口getUserById已修复v2.1"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("部署", True),
        ("部署方案", True),
        ("方案", True),
        ("署部", False),
        ("署", True),
        ("部方", False),
    ],
)
def test_h_l01_two_characters_are_found_in_their_order(query: str, found: bool) -> None:
    held = set(index_terms("今天讨论了部署方案和回滚流程。"))
    assert set(query_terms(query)) <= held if found else not set(query_terms(query)) <= held


@pytest.mark.parametrize(
    "query", ["itgc", "gen-itgc", "悬空", "getUserById", "getuserbyid", "v2.1", "50", "User", "步2"]
)
def test_h_l02_identifiers_end_where_the_script_changes(query: str) -> None:
    assert set(query_terms(query)) <= set(index_terms(GLUED))


@pytest.mark.parametrize("query", ["", "   ", "!!!", "\"'(*^~", "\0", "🍸"])
def test_a_query_without_words_asks_for_nothing(query: str) -> None:
    assert query_terms(query) == []


def test_wide_letters_and_ligatures_are_what_they_stand_for() -> None:
    assert query_terms("ＡＰＩ ﬁle") == ["api", "file"]
