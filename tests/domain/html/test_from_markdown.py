"""Markdown as authors of Chinese and English write it."""

import pytest

from devloop_tools.domain.html.from_markdown import markdown_to_html
from devloop_tools.domain.html.markup import PageFault


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("登录之后的会话\n持续三十天", "<p>登录之后的会话持续三十天</p>\n"),
        ("句号。\n**粗体**\n结尾", "<p>句号。<strong>粗体</strong>结尾</p>\n"),
        ("one\ntwo", "<p>one\ntwo</p>\n"),
        ("中文\nword", "<p>中文\nword</p>\n"),
        ("word\n中文", "<p>word\n中文</p>\n"),
        ("한국어\n문장", "<p>한국어\n문장</p>\n"),
        ("`代码`\n中", "<p><code>代码</code>中</p>\n"),
        ("中  \n文", "<p>中<br />\n文</p>\n"),
        ("    中\n    文", "<pre><code>中\n文\n</code></pre>\n"),
    ],
)
def test_a_line_end_inside_chinese_is_no_blank(text: str, html: str) -> None:
    assert markdown_to_html(text, "markdown") == html


def _nested(levels: int) -> str:
    return "".join(f"{'  ' * level}- 第 {level} level\n" for level in range(levels))


def test_nothing_is_lost_from_a_list_in_lists() -> None:
    html = markdown_to_html(_nested(50), "markdown")
    assert all(f"第 {level} level" in html for level in range(50))


@pytest.mark.parametrize("text", [_nested(51), ">" * 102 + " 深", "- " * 3000 + "x"])
def test_what_is_nested_too_deep_to_be_kept_is_refused(text: str) -> None:
    with pytest.raises(PageFault, match="model: lists and quotes are nested deeper than 50"):
        markdown_to_html(text, "model")


def test_a_byte_order_mark_does_not_hide_the_first_heading() -> None:
    assert markdown_to_html("\ufeff## 一\n", "markdown") == "<h2>一</h2>\n"
