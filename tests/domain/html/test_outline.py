import pytest
from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.html.markup import PageFault
from devloop_tools.domain.html.outline import (
    Span,
    ids_outside,
    plain,
    read_outline,
    splice,
    with_newlines,
)


def test_the_parts_of_a_page_written_by_hand_are_found() -> None:
    page = read_outline(BY_HAND, "prd/quota.html")
    assert page.text(page.title) == "配额 Quota · 手写站"
    assert page.text(page.h1) == "配额 & Quota说明"
    assert page.text(page.deck) == "每个租户 独立 计数"
    assert [section.anchor for section in page.sections] == [
        "①-现状-三种配额", "limits", "内层-inner", "empty",
    ]  # fmt: skip


def test_comments_scripts_and_drawings_hold_no_sections() -> None:
    page = read_outline(BY_HAND, "prd/quota.html")
    assert {"ghost", "fake"}.isdisjoint({section.anchor for section in page.sections})
    assert page.ids == {"sidebar", "limits", "empty"}


def test_every_heading_has_a_place_to_link_to() -> None:
    page = read_outline(BY_HAND, "prd/quota.html")
    assert [(h.id, h.level) for h in page.headings] == [
        ("①-现状-三种配额", 2), ("limits", 2), ("内层-inner", 3),
    ]  # fmt: skip


def test_a_section_reaches_from_its_start_tag_to_its_end_tag() -> None:
    page = read_outline(BY_HAND, "prd/quota.html")
    content = page.sections[1].content.of(BY_HAND)
    assert content.startswith("\n        <h2>② Limits")
    assert content.endswith("</section>\n      ")
    assert page.sections[1].element.closed


def test_a_section_that_a_page_never_closes_is_known_as_such() -> None:
    source = (
        '<article class="body"><section id="甲"><h2>甲</h2><section id="b">x</section></article>'
    )
    assert [s.element.closed for s in read_outline(source, "a").sections] == [False, True]


def test_tags_nested_ten_thousand_deep_are_refused() -> None:
    with pytest.raises(PageFault, match="nested deeper than"):
        read_outline("<div>" * 10_000 + "深", "prd/a.html")


def test_left_out_end_tags_are_no_depth() -> None:
    source = '<article class="body"><section id="甲"><ul>' + "<li>项<p>text" * 5000
    assert read_outline(source, "prd/a.html").sections[0].anchor == "甲"


def test_splicing_leaves_every_other_character() -> None:
    source = "一<b>二</b>three"
    assert splice(source, [(Span(4, 5), "2"), (Span(0, 1), "1")]) == "1<b>2</b>three"


@pytest.mark.parametrize(("newline", "expected"), [("\r\n", "a\r\n中\r\nb"), ("\n", "a\n中\nb")])
def test_line_ends_follow_the_page(newline: str, expected: str) -> None:
    page = read_outline(f"<p>{newline}</p>{newline}x", "a")
    assert with_newlines("a\r\n中\nb", page.newline) == expected


def test_ids_outside_a_section_are_those_of_the_rest() -> None:
    page = read_outline(BY_HAND, "prd/quota.html")
    span = Span(page.sections[1].element.tag.start, page.sections[1].element.end)
    assert ids_outside(page, span) == {"sidebar", "empty"}


def test_plain_text_has_entities_resolved_and_blanks_joined() -> None:
    assert plain("A&amp;B\n  <b>中</b>文&nbsp;&lt;x&gt;") == "A&B 中文 <x>"
