"""What counts as a difference of two pages, and as which."""

import pytest

from devloop_tools.domain.documents.html_blocks import Block, blocks_of
from devloop_tools.domain.documents.html_changes import Op, page_changes
from devloop_tools.domain.html.tree import parsed


def blocks(html: str) -> list[Block]:
    return blocks_of(parsed(html, "page.html"))


def told(before: str, after: str) -> list[str]:
    """`op old/new` for every block that is not the same."""
    return [
        f"{change.op.value} {change.old.text if change.old else ''}/"
        f"{change.new.text if change.new else ''}"
        for change in page_changes(blocks(before), blocks(after))
        if change.op is not Op.SAME
    ]


TAIL = (
    "<h2>一</h2><p>开始<p>第二段<div>三</div></p>"
    "<table><div>x</div><tr><td>1<td>2</table><p>结尾 TAIL"
)


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        ("<ul><li>甲</li><li>乙</li></ul>", "<ul>\n  <li>甲</li>\n  <li>乙</li>\n</ul>", False),
        ("<pre>a\n  b</pre>", "<pre>a\n b</pre>", True),
        ("<p>a b</p>", "<p>a&nbsp;b</p>", True),
        ("<p>中文 字</p>", "<p>中文字</p>", True),
        ('<p class="a b" id=x>t</p>', "<p id='x' class='a b'>t</p>", False),
        ("<p>a <b>b</b></p>", "<p>a<b>b</b></p>", True),
    ],
)
def test_layout_alone_is_no_difference_h_h05(before: str, after: str, differs: bool) -> None:
    assert (told(before, after) != []) == differs


def test_unclosed_tags_hide_nothing_h_h06() -> None:
    assert told(TAIL, TAIL.replace("TAIL", "END")) == ["changed 结尾 TAIL/结尾 END"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>1 &lt; 2 &copy; 中</p>", "<p>1 &#60; 2 © &#x4e2d;</p>"),
        ("<p class='b a'>x</p>", "<P CLASS='a   b'>x</P>"),
        ("<p>a <b>b</b> c</p>", "<p>a<b> b </b>c</p>"),
        ("<p>a<br>b</p>", "<p>a <br/>\n  b</p>"),
        ("<p>x</p><!-- 注 -->", "<p>x</p>"),
        ("<p>a\r\nb</p>", "<p>a b"),
        ("<table><tr><td>一</table>", "<table>\n<tbody>\n<tr>\n<td> 一 </td></tr></tbody></table>"),
        ("<svg><g><text>a</text></g></svg>", "<svg>\n <g>\n  <text>a</text>\n </g>\n</svg>"),
        ("<div><p>x</p></div>", "<p>x</p>"),
        ("<input disabled>", "<input disabled=''>"),
    ],
)
def test_other_spellings_of_a_page_are_the_same_page(before: str, after: str) -> None:
    assert told(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("<p>a</p>", "<p>a</p><p>新</p>", ["added /新"]),
        ("<p>a</p><p>旧</p>", "<p>a</p>", ["removed 旧/"]),
        ("<p>a<p>b<p>c", "<p>b<p>c<p>a", ["moved a/a"]),
        ("<h2>题 one</h2>", "<h3>题 one</h3>", ["changed 题 one/题 one"]),
        ("<p><a href=x>y</a>", "<p><a href=z>y</a>", ["changed y/y"]),
        ("<p><img src=a.png>", "<p><img src=b.png>", ["changed /"]),
        ("<p>a", "<p>a<p><img src=b.png>", ["added /"]),
        ("<div class=note><p>x</div>", "<div class=warn><p>x</div>", ["changed /"]),
        ("<p>x", "<div class=warn><p>x</div>", ["added /"]),
        ("<p>x", "<p>x<div class=n><ul id=u><li>新</ul></div>", ["added /新"]),
        ("<ul><li>x</ul>", "<ol><li>x</ol>", ["changed x/x"]),
        ("<title>旧</title>", "<title>新</title>", ["changed 旧/新"]),
        ("<script>let a</script>", "<script>let b</script>", ["changed let a/let b"]),
        ("<p>a<hr><p>b", "<p>a<p>b", ["removed /"]),
    ],
)  # fmt: skip
def test_a_change_is_told_as_what_it_is(before: str, after: str, changes: list[str]) -> None:
    assert told(before, after) == changes


def test_a_block_with_nothing_in_common_is_another_block() -> None:
    old = "完全 old words that stood here for a long time already"
    new = "whole 新的 text, which nobody has seen until this day"

    assert sorted(told(f"<p>{old}", f"<p>{new}")) == [f"added /{new}", f"removed {old}/"]


def test_a_block_that_moved_and_changed_is_told_once() -> None:
    long = "这一段说明 how the server answers a call that comes twice in one turn"
    before = f"<h2>A</h2><p>{long} 一</p><h2>B</h2><p>x</p><p>y</p><p>z</p>"
    after = f"<h2>A</h2><h2>B</h2><p>x</p><p>y</p><p>z</p><p>{long} 二</p>"

    assert told(before, after) == [f"moved {long} 一/{long} 二"]


def test_rows_are_found_again_when_one_was_put_in() -> None:
    rows = "".join(f"<tr><td>任务 {i}<td>{i} 天</tr>" for i in range(30))
    changed = rows.replace("<td>7 天", "<td>8 天").replace(
        "<tr><td>任务 3<", "<tr><td>新<td>?</tr><tr><td>任务 3<"
    )

    assert told(f"<table>{rows}</table>", f"<table>{changed}</table>") == [
        "added /新 | ?",
        "changed 任务 7 | 7 天/任务 7 | 8 天",
    ]


def test_a_block_stands_in_the_section_of_its_headings() -> None:
    page = "<h1>页</h1><section><h2>甲</h2><h3>A</h3><p>x</section><p>y<footer><p>z</footer>"

    assert [(block.text, block.section) for block in blocks(page) if block.element == "p"] == [
        ("x", "甲 › A"),
        ("y", "页"),
        ("z", "footer"),
    ]


def test_a_page_differs_in_nothing_from_itself_however_odd_it_is() -> None:
    odd = (
        "<table><td>a<table><tr><td>b</table><a><div>c<p></a><li>d<b><p>e</b>f<tr><select><option>g"
    )

    assert told(odd, odd) == []
