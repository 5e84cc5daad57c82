from collections.abc import Sequence

import pytest
from tests.domain.triage.measuring import OWN_SIMILAR, SIMILAR, searched

from devloop_tools.domain.bugs.similar import COMPARED, Known, known, rank

BY_WORDS = 0.866
"""Recall at five, of the frozen corpus; tests/scripts has the one with the extra `meaning`."""


def query(text: str) -> Known:
    return known("", "", text)


def bugs(*texts: str) -> list[Known]:
    return [known(f"B{number}", "", text) for number, text in enumerate(texts)]


def best(text: str, *texts: str) -> list[str]:
    return [match.id for match in rank(query(text), bugs(*texts), 5)]


def test_the_same_text_scores_one_and_another_less() -> None:
    text = "登录失败 after createSession() throws 500"
    same, other = rank(query(text), bugs(text, "createSession 慢"), 5)
    assert (same.id, same.score) == ("B0", 1.0)
    assert 0 < other.score < 0.7


@pytest.mark.parametrize(
    ("text", "wanted", "other"),
    [
        ("the cart shows an old price", "购物车价格是旧的", "导出文件名乱码"),
        ("登录后会话马上过期", "session expires right after login", "the price is rounded down"),
        ("applyCoupon 之后总价不对", "applyCoupon() ignores the limit", "总价 total 显示慢"),
        ("GET /todos/:id 500", "/todos/:id 偶尔失败", "/users/:id fails"),
        ("TS2322 in the build", "构建报 TS2322", "构建慢"),
        ("uploads fail for large files", "uploading a larger file failed", "file list is empty"),
        ("the printer eats paper", "小票打出来是空的", "聊天里收不到回复"),
    ],
)
def test_a_report_finds_the_one_that_means_the_same(text: str, wanted: str, other: str) -> None:
    assert best(text, other, wanted)[0] == "B1"


@pytest.mark.parametrize(
    ("text", "wanted", "other"),
    [
        ("订单 is charged twice", "订单接口没有做幂等", "订单列表太窄"),
        ("改了昵称，刷新后才变", "nickname cache is not invalidated", "the nickname is too long"),
        ("orders: no timeout on the client", "orders page: 一直转圈", "orders page: 颜色不对"),
        ("Invoice is a cent too low", "发票金额用浮点数相加", "发票抬头可以为空"),
    ],
)
def test_a_symptom_finds_its_cause(text: str, wanted: str, other: str) -> None:
    [match, *_] = rank(query(text), bugs(other, wanted), 5)
    assert match.id == "B1"
    assert any(term.startswith("failure mode: ") for term in match.shared)


def test_what_shares_nothing_is_left_out_and_terms_are_named() -> None:
    [match] = rank(query("saveTodo 丢失 title"), bugs("saveTodo 丢数据", "完全是别的事"), 5)
    assert match.id == "B0"
    assert match.shared[0] == "savetodo"
    assert rank(query("的 the 了"), bugs("的 the 了"), 5) == []
    assert rank(query("x"), [], 5) == []


def test_a_bug_that_says_much_else_comes_after_one_that_says_only_this() -> None:
    much = "upload fails; the chart is empty, mails bounce, the map flickers, prices are rounded"
    assert best("upload fails", much, "upload fails at once") == ["B1", "B0"]


def test_without_the_extra_they_hold_fewer() -> None:
    assert searched(SIMILAR).recall(5) >= BY_WORDS
    assert searched(OWN_SIMILAR, "check").recall(5) >= 0.7


def test_a_meaning_moves_a_bug_and_is_named_where_it_is_more_than_chance() -> None:
    alike = {"upload breaks": 0.9, "upload waits": -0.2}
    first, second = rank(
        query("upload fails"),
        bugs(*alike),
        5,
        lambda _, texts: [alike[text.strip()] for text in texts],
    )
    assert (first.id, first.shared[0]) == ("B0", "similar meaning")
    assert (second.id, "similar meaning" in second.shared) == ("B1", False)
    assert 0 < second.score < first.score <= 1


def test_a_bug_that_shares_its_meaning_alone_is_found() -> None:
    [match] = rank(query("的 the 了"), bugs("other words", "more words"), 5, lambda *_: [0.1, 0.5])
    assert (match.id, match.shared) == ("B1", ["similar meaning"])


def test_no_more_are_compared_by_meaning_than_that_pays() -> None:
    asked: list[int] = []

    def count(_: str, texts: Sequence[str]) -> list[float]:
        asked.append(len(texts))
        return [0.5] * len(texts)

    found = rank(query("upload fails"), bugs(*["upload fails"] * (COMPARED + 20)), 500, count)
    assert (asked, len(found)) == ([COMPARED], COMPARED + 20)
    assert found[COMPARED - 1].score > found[COMPARED].score
