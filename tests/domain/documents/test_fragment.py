import re

import pytest

from devloop_tools.domain.documents.fragment import content_of, sections_of
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.domain.html.sanitising import sanitised

HEADINGS = (
    "<h2>安装</h2><h2>安装</h2><h2>API 设计</h2><h2>API 测试</h2><h2>!!!</h2><h2>  </h2><h2>①Σ</h2>"
)


def ids(markup: str) -> list[str]:
    return re.findall(r'<section id="([^"]*)"', markup)


def test_h_h02_every_chinese_heading_has_an_anchor_of_its_own() -> None:
    markup = sections_of(HEADINGS, ()).markup
    found = re.findall(r'id="([^"]*)"', markup)
    assert ids(markup) == ["安装", "安装-2", "api-设计", "api-测试", "section", "section-2", "①σ"]
    assert len(set(found)) == len(found) == 14


def test_h_h02_anchors_survive_a_heading_before_them() -> None:
    before = ids(sections_of("<h2>API 设计</h2><h2>部署</h2>", ()).markup)
    after = ids(sections_of("<h2>新的</h2><h2>API 设计</h2><h2>部署</h2>", ()).markup)
    assert after[1:] == before


def test_each_h2_starts_a_section_and_text_before_it_has_one_too() -> None:
    fragment = sections_of("前言 <b>b</b><p>p</p><h2>甲</h2><p>一</p><h3>细</h3><h2>B</h2>", ())
    assert ids(fragment.markup) == ["intro", "甲", "b"]
    assert '<section id="intro">\n前言 <b>b</b><p>p</p>\n</section>' in fragment.markup
    assert '<h3 id="细">' in fragment.markup


def test_the_first_h1_is_the_title_and_others_become_h2() -> None:
    fragment = sections_of("\n<h1>登录 <i>Login</i></h1><h1 id=x>二</h1>", ())
    assert fragment.title == "登录 Login"
    assert fragment.markup == '<section id="二">\n<h2 id="x">二</h2>\n</section>'


def test_sections_and_ids_that_the_author_wrote_stay() -> None:
    source = '<section id="own" class="wide"><h2 id="h">标题</h2><p>x</p></section>'
    assert sections_of(source, ()).markup == (
        '<section id="own" class="wide">\n<h2 id="h">标题</h2><p>x</p>\n</section>'
    )


def test_an_id_that_the_rest_of_the_page_has_is_numbered() -> None:
    assert ids(sections_of('<section id="a"></section><h2>甲</h2>', ["a", "甲"]).markup) == [
        "a-2", "甲-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "begins", "expected"),
    [
        ("<p>只有 text</p>", False, "<p>只有 text</p>"),
        ("\n<h2>新标题</h2>\n<p>x</p>\n", True, '<h2 id="h-新标题">新标题</h2>\n<p>x</p>'),
        ("<section><h2>甲</h2></section>", True, '<h2 id="h-甲">甲</h2>'),
        ("甲 <b>b</b> c &lt; d&nbsp;e", False, "甲 <b>b</b> c &lt; d&nbsp;e"),
    ],
)
def test_the_inside_of_a_section_is_taken_as_it_is(
    source: str, begins: bool, expected: str
) -> None:
    fragment = content_of(source, ())
    assert (fragment.markup, fragment.begins_with_heading) == (expected, begins)


def test_h_h03_writing_again_and_again_changes_no_text() -> None:
    source = (
        "<p>&lt;script&gt; &amp;lt; A&nbsp;B &#20013;文 &copy; &notin; 1 &lt; 2 &amp;&amp; x</p>"
        '<pre>\n\n a &lt; b\n  &amp;amp;</pre><a href="?a=1&amp;b=2">l</a>'
    )
    first = sections_of(sanitised(source, "html")[0], ()).markup
    markup = first
    for _ in range(5):
        markup = sections_of(sanitised(markup, "html")[0], ()).markup
    assert markup == first
    assert "&lt;script&gt; &amp;lt; A&nbsp;B 中文 © ∉ 1 &lt; 2 &amp;&amp; x" in markup
    assert "<pre>\n\n a &lt; b\n  &amp;amp;</pre>" in markup


def test_anchors_of_a_fragment_are_those_that_its_page_is_read_with() -> None:
    markup = sections_of(HEADINGS + "<h3>细节</h3>", ()).markup
    page = read_outline(f'<article class="body">{markup}</article>', "a")
    assert [s.anchor for s in page.sections] == ids(markup)
    assert page.headings[-1].id == "细节"
