"""One section changes; what heads it stays, in whatever it is wrapped."""

import pytest

from devloop_tools.domain.documents.section_writing import section_named, with_section
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.domain.outcome import Refused

PAGE = '<article class="body">\n<section id="a">{}</section>\n</article>'


def written(inside: str, clean: str = "<p>新</p>") -> str:
    """What stands in the section after `clean` was written into it."""
    page = read_outline(PAGE.format(inside), "a.html")
    changed = with_section(page, "a.html", "a", "A", clean, ("a",))
    assert isinstance(changed, str)
    return changed.removeprefix(PAGE[: PAGE.index("{")]).removesuffix("</section>\n</article>")


@pytest.mark.parametrize(
    ("inside", "after"),
    [
        ("\n<h2>题</h2>\n旧\n", "\n<h2>题</h2>\n<p>新</p>\n"),
        ("<p>03</p><h2>题</h2>旧", "<p>03</p><h2>题</h2>\n<p>新</p>\n"),
        ("<div><i></i><h2>题</h2><br></div>旧", "<div><i></i><h2>题</h2><br></div>\n<p>新</p>\n"),
        ("\n<h3>小 first</h3>旧", "\n<h3>小 first</h3>\n<p>新</p>\n"),
        ("旧<h3>小</h3>旧", "\n<p>新</p>\n"),
        ("\n  旧\n", "\n  <p>新</p>\n"),
        ("<section><h2>内</h2></section>旧", "\n<p>新</p>\n"),
        ("<h2>题", "\n<p>新</p>\n"),
        ("<div></i><h2>题</h2>旧", "\n<p>新</p>\n"),
    ],
)
def test_the_section_s_own_heading_stays(inside: str, after: str) -> None:
    assert written(inside) == after


@pytest.mark.parametrize("inside", ["<h2>题</h2>旧", "旧", "<div><h2>题</h2></div>", "<h3>a</h3>b"])
@pytest.mark.parametrize("clean", ["<p>一</p>\n<h3>小</h3>\n<p>二</p>", "<h2>头</h2><p>x</p>"])
def test_writing_the_same_twice_changes_nothing(inside: str, clean: str) -> None:
    once = written(inside, clean)
    assert written(once, clean) == once


@pytest.mark.parametrize(
    ("sections", "anchor", "order"),
    [
        ("", "b", ["b"]),
        ('<section id="a">x</section>', "b", ["a", "b"]),
        ('<section id="c">x</section>', "b", ["b", "c"]),
        ('<section id="x">x</section><section id="c">x</section>', "a", ["x", "a", "c"]),
    ],
)
def test_a_new_section_goes_where_it_belongs(sections: str, anchor: str, order: list[str]) -> None:
    source = f'<article class="body">\n{sections}\n</article>'
    names = ("a", "b", "c")
    changed = with_section(read_outline(source, "p"), "p", anchor, "题 & T", "<p>y</p>", names)
    assert isinstance(changed, str)
    page = read_outline(changed, "p")
    assert [section.anchor for section in page.sections] == order
    made = section_named(page, f"h-{anchor}")
    assert made is not None
    assert page.text(made.heading) == "题 & T"


@pytest.mark.parametrize(
    "source", ["<p>x</p>", '<article class="body"><section id="a">x</article>']
)
def test_a_page_without_room_is_refused(source: str) -> None:
    refused = with_section(read_outline(source, "p"), "p", "a", "A", "<p>y</p>", ("a",))
    assert isinstance(refused, Refused)
