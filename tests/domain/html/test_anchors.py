import time

import pytest

from devloop_tools.domain.html.anchors import MAX_ANCHOR, Anchors, is_usable, slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("安装", "安装"),
        ("API 设计", "api-设计"),
        ("  Token  lifetime! ", "token-lifetime"),
        ("①Σ", "①σ"),
        ("cafe\u0301", "café"),
        ("!!!", "section"),
        ("", "section"),
        ("</h2><script>", "h2-script"),
        ("हिन्दी", "हिन्दी"),
        ("字" * 100, "字" * MAX_ANCHOR),
    ],
)
def test_a_slug_keeps_letters_of_any_script(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_duplicates_are_numbered_and_never_meet_what_was_taken() -> None:
    anchors = Anchors(["安装-2"])
    assert [anchors.claim("安装") for _ in range(3)] == ["安装", "安装-3", "安装-4"]


def test_a_page_of_many_headings_with_one_text_is_numbered_in_no_time() -> None:
    anchors, start = Anchors(), time.monotonic()
    names = [anchors.claim("返回 returns") for _ in range(30_000)]
    assert (names[-1], len(set(names))) == ("返回 returns-30000", 30_000)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("text", "usable"),
    [("步骤-1", True), (None, False), ("", False), ("a b", False), ("x" * 129, False)],
)
def test_an_id_with_a_blank_cannot_stay(text: str | None, usable: bool) -> None:
    assert is_usable(text) is usable
