"""Changes in sentences: Chinese and English, without anything that only a browser reads."""

import pytest

from devloop_tools.domain.documents.echo import MAX_SENTENCES, Language, echo
from devloop_tools.domain.documents.html_blocks import blocks_of
from devloop_tools.domain.documents.html_changes import page_changes
from devloop_tools.domain.html.tree import parsed

HEAD = "<title>T</title><h1>待办 Todo</h1><h2>登录</h2>"


def echoed(before: str, after: str, language: Language | None) -> list[str]:
    """The lines of an echo of two pages under one heading."""
    old, new = (blocks_of(parsed(HEAD + html, "a.html")) for html in (before, after))
    return echo(page_changes(old, new), language).splitlines()


ROWS = "<table><tr><th>任务<th>工时<tr><td>接口<td>{}</table>"

SENTENCES = [
    (
        "<p>有效 30 分钟",
        "<p>有效 45 分钟",
        "「登录」一节的段落「有效 30 分钟」中，「30」改为「45」。",
        "In “登录”, in the paragraph “有效 30 分钟”: “30” became “45”.",
    ),
    (
        "<p>用户登录",
        "<p>用户登录后",
        "「登录」一节的段落「用户登录」中，加上「后」。",
        "In “登录”, in the paragraph “用户登录”: “后” was added.",
    ),
    (
        "<p>x",
        "<p>x<ul><li>新 item</ul>",
        "「登录」一节新增列表项：「新 item」。",
        "In “登录”, a list item was added: “新 item”.",
    ),
    (
        "<p>x<p>旧的",
        "<p>x",
        "「登录」一节删除段落：「旧的」。",
        "In “登录”, a paragraph was removed: “旧的”.",
    ),
    (
        ROWS.format("2 天"),
        ROWS.format("3 天"),
        "「登录」一节的表格「接口」一行，「工时」由「2 天」改为「3 天」。",
        "In the table of “登录”, row “接口”: “工时” changed from “2 天” to “3 天”.",
    ),
    (
        "<p>a<p>b<p>c<h2>退出</h2>",
        "<p>b<p>c<h2>退出</h2><p>a",
        "段落「a」从「登录」移到「退出」。",
        "The paragraph “a” moved from “登录” to “退出”.",
    ),
    (
        "<p>a<p>b<p>c",
        "<p>b<p>c<p>a",
        "「登录」一节的段落「a」换了位置。",
        "In “登录”, the paragraph “a” moved to another place.",
    ),
    (
        "<h3>旧题</h3><p>x",
        "<h3>新题</h3><p>x",
        "「登录 › 新题」一节的标题由「旧题」改为「新题」。",
        "In “登录 › 新题”, the heading “旧题” became “新题”.",
    ),
    (
        "<p>x",
        "<p>x<h2>导出</h2><p>a<p>b",
        "新增「导出」一节，共 2 段内容。",
        "The section “导出” was added (passages: 2).",
    ),
    (
        "<p>看<a href=a.html>这里</a>",
        "<p>看<a href=b.html#id-9>这里</a>",
        "「登录」一节的段落「看这里」中，链接由「a.html」改为「b.html」。",
        "In “登录”, in the paragraph “看这里”, a link leads to “b.html” instead of “a.html”.",
    ),
    (
        "<p>图<img src=a.png>",
        "<p>图<img src=b.png>",
        "「登录」一节的段落中换了图片。",
        "In “登录”, an image in a paragraph was replaced.",
    ),
    (
        "<p>x<ul><li>第一 step</ul>",
        "<p>x<p>第一 step",
        "「登录」一节的列表项「第一 step」改成了段落。",
        "In “登录”, the list item “第一 step” became a paragraph.",
    ),
    (
        "<script>1</script>",
        "<script>2</script>",
        "页面内嵌的数据或脚本有变化。",
        "Data or a script inside the page changed.",
    ),
]


@pytest.mark.parametrize(("before", "after", "zh", "en"), SENTENCES)
def test_each_change_is_a_sentence_in_either_language(
    before: str, after: str, zh: str, en: str
) -> None:
    assert echoed(before, after, Language.ZH)[2:] == [f"1. {zh}"]
    assert echoed(before, after, Language.EN)[2:] == [f"1. {en}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p class=a id=b>x", "<p class=c id=d>x"),
        ("<p>a <b>b</b>", "<p>a b"),
        ("<div class=a><p>x</div>", "<div class=b><p>x</div>"),
        ("<pre>a\n  b</pre>", "<pre>a\n b</pre>"),
    ],
)
def test_what_no_reader_sees_is_counted_and_not_told(before: str, after: str) -> None:
    lines = echoed(before, after, Language.EN)

    assert lines[0] == "What changed in “待办 Todo” (0):"
    assert lines[-1] == "Unseen by a reader (style, blanks, settings), the words being the same: 1."


def test_no_change_is_one_sentence() -> None:
    assert echoed("<p>x", "<p> x </p>", Language.ZH) == ["《待办 Todo》没有变化。"]
    assert echoed("<p>x", "<p> x </p>", Language.EN) == ["“待办 Todo” has not changed."]


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<html lang=zh-CN><p>only English words", "《T》有 1 处变化："),
        ("<html lang=en><p>全是中文", "What changed in “T” (1):"),
        ("<p>大多是中文 text", "《T》有 1 处变化："),
        ("<p>mostly English text with one 字 in it", "What changed in “T” (1):"),
    ],
)
def test_the_language_is_that_of_the_page(html: str, line: str) -> None:
    page = html + "<h1>T</h1>"
    old, new = (blocks_of(parsed(text, "a.html")) for text in (page, page + "<p>x"))

    assert echo(page_changes(old, new), None).startswith(line)


def test_text_of_a_page_is_never_markup_of_the_echo() -> None:
    [line] = echoed("<p>x", "<p>x<p>&lt;b&gt; *a* _b_ `c` [d](e) # f", Language.EN)[2:]

    assert r"“&lt;b&gt; \*a\* \_b\_ \`c\` \[d\](e) \# f”" in line


def test_many_changes_are_counted_and_long_texts_cut() -> None:
    after = "".join(f"<p>新段 {i} " + "长" * 300 for i in range(MAX_SENTENCES + 5))

    lines = echoed("", after, Language.ZH)

    assert lines[0] == f"《待办 Todo》有 {MAX_SENTENCES + 5} 处变化："
    assert lines[-1] == "另有 5 处变化没有列出。"
    assert max(map(len, lines)) < 220
