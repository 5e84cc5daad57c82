import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.domain.documents.word_changes import bag_of, likeness, pieces, words_of

texts = st.text(st.sampled_from("ab 甲乙,1.\n"), max_size=30)


def marked(before: str, after: str) -> str:
    return "".join(
        piece.old if piece.same else f"[{piece.old}|{piece.new}]" for piece in pieces(before, after)
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("a quick fox", "a slow fox", "a [quick|slow] fox"),
        ("用户登录后", "用户登出后", "用户登[录|出]后"),
        ("超时 30 秒", "超时 45 秒", "超时 [30|45] 秒"),
        ("版本 1.2.3", "版本 1.2.4", "版本 [1.2.3|1.2.4]"),
        ("调用 write_todolist 一次", "调用 bug_open 一次", "调用 [write_todolist|bug_open] 一次"),
        ("结尾 TAIL", "结尾 END", "结尾 [TAIL|END]"),
        ("one two three four", "1 2 3 four", "[one two three|1 2 3] four"),
        ("甲的乙", "丙的丁", "[甲的乙|丙的丁]"),
        ("same", "same", "same"),
        ("", "新", "[|新]"),
        ("\x02<b>\x03重\x02</b>\x03 x", "重 y", "重 [x|y]"),
    ],
)
def test_changes_are_told_in_words_and_chinese_by_character(
    before: str, after: str, told: str
) -> None:
    assert marked(before, after) == told


@given(texts, texts)
def test_the_pieces_are_both_texts(before: str, after: str) -> None:
    found = pieces(before, after)

    assert "".join(piece.old for piece in found) == before
    assert "".join(piece.new for piece in found) == after


@given(st.text(max_size=50))
def test_no_character_is_lost_between_words(text: str) -> None:
    assert "".join(words_of(text)) == text


@pytest.mark.parametrize(
    ("left", "right", "like"),
    [("a b", "b  a", 1), ("甲乙", "丙丁", 0), ("", "", 1), ("a b", "a c", 0.5)],
)
def test_texts_are_alike_by_the_words_in_common(left: str, right: str, like: float) -> None:
    assert likeness(bag_of(left), bag_of(right)) == like
