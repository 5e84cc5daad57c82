from devloop_tools.domain.bugs.concepts import CONCEPT, FIELD, meanings_in, meanings_of_stems
from devloop_tools.domain.bugs.terms import readable, terms_of


def test_the_concepts_name_words_of_both_languages() -> None:
    assert CONCEPT + "login" in meanings_of_stems()["login"]
    assert CONCEPT + "login" in set(meanings_in("重新登录失败"))


def test_a_field_is_wider_than_a_concept() -> None:
    assert FIELD + "printer" in meanings_of_stems()["paper"]
    assert FIELD + "printer" in set(meanings_in("标签打出来是歪的"))


def test_a_word_of_one_character_and_a_longer_one_are_both_found() -> None:
    assert {FIELD + "restaurant", FIELD + "money"} <= set(meanings_in("菜的价格"))


def test_terms_are_read_without_their_kinds_and_the_title_counts_twice() -> None:
    terms = terms_of("saveTodo 慢", "saveTodo")
    assert terms["=savetodo"] == 3
    assert readable(["=savetodo", "~slow", "^cpu", "slow"]) == ["savetodo", "slow", "cpu"]
