import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.html.markup import (
    MAX_PAGE_BYTES,
    Kind,
    LineNumbers,
    PageFault,
    attribute_values,
    decode_utf8,
    tokens,
)

GB_PAGE = (
    '<html><head><meta http-equiv=Content-Type content="text/html; charset=gb2312">'
    "<title>网站地图</title></head><p>镕 € ㈱</p>"
).encode("gb18030")


def test_every_tag_stands_where_its_token_says() -> None:
    for token in tokens(BY_HAND):
        text = BY_HAND[token.start : token.end]
        if token.kind is not Kind.TEXT:
            slash = "/" if token.kind is Kind.CLOSE else ""
            assert text.lower().startswith(f"<{slash}{token.name}")
            assert text.endswith(">")


def test_tokens_make_up_the_whole_source() -> None:
    found = tokens(BY_HAND)
    assert "".join(BY_HAND[token.start : token.end] for token in found) == BY_HAND


PIECES = [
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<!",
    "<![x[",
    "]]>",
    "<?",
    "&",
    "&lt;",
    "'",
    '"',
    "=",
    "/",
]
PIECES += [
    "a",
    "中",
    " ",
    "\n",
    "p",
    "script",
    "title",
    "<p>",
    "</p>",
    "<script>",
    "</script>",
    "\0",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_whatever_the_source_its_tokens_make_it_up(source: str) -> None:
    assert "".join(source[token.start : token.end] for token in tokens(source)) == source


@pytest.mark.parametrize(
    "piece", ["<", "<!--", "</", "<a ", '<a "', "<a b='", "<![CDATA[", "<?", "<!", "&", "<title>"]
)
def test_a_page_of_ends_that_never_come_is_read_in_time(piece: str) -> None:
    # Python's tokenizer alone takes minutes for some of these.
    assert tokens(piece * 20_000)


def test_comments_are_no_text() -> None:
    found = tokens("<!doctype html>一<!-- <p>TODO</p> -->b")
    assert [token.kind for token in found] == [Kind.HIDDEN, Kind.TEXT, Kind.HIDDEN, Kind.TEXT]


@pytest.mark.parametrize(
    "source", ["<p", "<p>中<", "a &am", "<!-- x", "<script>1 < 2", "<a href='"]
)
def test_a_page_cut_off_anywhere_has_tokens_inside_it(source: str) -> None:
    assert all(0 <= t.start <= t.end <= len(source) for t in tokens(source))


def test_what_looks_like_a_tag_in_raw_text_is_none() -> None:
    source = "<title><b>x</b></title><script>'<section>'</script><textarea><p></textarea>"
    assert [t.name for t in tokens(source) if t.kind is Kind.OPEN] == [
        "title",
        "script",
        "textarea",
    ]


def test_attribute_values_are_found_in_every_spelling() -> None:
    source = "<a HREF='甲.html' title=\"href='no'\" data-x=bare download>"
    (token,) = tokens(source)
    found = [(name, source[start:end]) for name, start, end in attribute_values(source, token)]
    assert found == [("href", "甲.html"), ("title", "href='no'"), ("data-x", "bare")]


def test_line_numbers_count_every_line_end() -> None:
    lines = LineNumbers("a\r\nb\rc\nd")
    assert [lines.at(offset) for offset in (0, 3, 5, 7)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "content", [GB_PAGE, "中文".encode("utf-16"), b"<p>caf\xe9</p>", b"<p>\xe4\xb8</p>"]
)
def test_a_page_in_another_encoding_is_not_taken_to_be_written(content: bytes) -> None:
    with pytest.raises(PageFault, match=r"prd/a\.html: not UTF-8"):
        decode_utf8(content, "prd/a.html")


def test_a_wrong_declaration_is_named() -> None:
    content = '<meta charset="gbk"><p>中文</p>'.encode()
    with pytest.raises(PageFault, match="declares gb18030, and its bytes are UTF-8"):
        decode_utf8(content, "prd/a.html")


def test_a_page_too_large_to_be_taken_apart_is_refused() -> None:
    with pytest.raises(PageFault, match="are not taken apart"):
        decode_utf8(b"x" * (MAX_PAGE_BYTES + 1), "prd/a.html")
