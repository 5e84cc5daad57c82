import pytest
from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.documents.page_text import read_text
from devloop_tools.domain.documents.search_terms import index_terms, query_terms
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.storage.errors import ExpectedFailure

TAGS = (
    '<html><head><title>发布</title><style>.hero{}</style></head><body class="content">'
    "<div>A&amp;B&nbsp;平台</div><table><tr><td>部</td><td>署</td></tr></table><p>第<b>一</b>章</p>"
    "<script>var token=1</script></body>"
)


def terms(source: str) -> set[str]:
    text = read_text(source, "a.html")
    parts = [*(s.text for s in text.sections), *(s.title for s in text.sections)]
    return {term for part in parts for term in index_terms(part)}


@pytest.mark.parametrize("query", ["div", "nbsp", "hero", "token", "content", "amp", "部署"])
def test_h_l04_markup_is_not_found(query: str) -> None:
    assert not set(query_terms(query)) <= terms(TAGS)


@pytest.mark.parametrize("query", ["A&B", "第一章", "发布", "平台"])
def test_h_l04_text_is_found_across_inline_tags(query: str) -> None:
    assert set(query_terms(query)) <= terms(TAGS)


def test_h_h06_broken_nesting_loses_no_text() -> None:
    source = (
        "<h2>一</h2><p>开始<p>第二段<div>三</div></p>"
        "<table><div>x</div><tr><td>1<td>2</table><p>结尾 TAIL"
    )
    assert set(query_terms("结尾 tail 第二段")) <= terms(source)


def test_a_page_written_by_hand_is_read_by_its_sections() -> None:
    text = read_text(BY_HAND, "quota.html")
    assert text.title == "配额 & Quota说明"
    assert [s.anchor for s in text.sections if s.anchor] == [
        section.anchor for section in read_outline(BY_HAND, "quota.html").sections[:-1]
    ]
    assert "A B <limit> 1 < 2 && x" in text.sections[1].text
    assert text.sections[2].text.startswith('if (a < b) { return " "; } # keep spaces')


def test_a_page_nested_too_deep_is_refused() -> None:
    with pytest.raises(ExpectedFailure):
        read_text("<div>" * 10_000, "a.html")
