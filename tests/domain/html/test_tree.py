"""How bytes become a page: encodings, and what is refused."""

import pytest

from devloop_tools.domain.documents.html_blocks import blocks_of
from devloop_tools.domain.html.tree import decoded, read_tree
from devloop_tools.storage.errors import ExpectedFailure

BODY = "<title>网站地图</title></head><p>镕 € ㈱</p>"
DECLARED = "<meta http-equiv=Content-Type content='text/html; charset=gb2312'>"


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ((DECLARED + BODY).encode("gb18030"), ""),
        (BODY.encode("gb18030"), "no encoding is declared"),
        (("<meta charset=GBK>" + BODY).encode("gb18030"), ""),
        (BODY.encode(), ""),
        (("<meta charset=utf-8>" + BODY).encode("utf-8-sig"), ""),
        (("<meta charset=gbk>" + BODY).encode("utf-16"), ""),
        (("<meta charset=utf-16>" + BODY).encode(), ""),
        (("<!-- <meta charset=latin-1> -->" + BODY).encode(), ""),
    ],
)
def test_a_page_is_read_in_the_encoding_that_a_browser_takes_h_h04(
    content: bytes, note: str
) -> None:
    page = read_tree(content, "a.html")

    assert [block.text for block in blocks_of(page.tree) if block.text] == ["网站地图", "镕 € ㈱"]
    assert (note in page.note) if note else page.note == ""


def test_bytes_of_no_encoding_are_replaced_and_that_is_said() -> None:
    text, note = decoded(b"<p>\xff\xfe\xfd ok", "a.html")

    assert text.endswith(" ok")
    assert "read as U+FFFD" in note


@pytest.mark.parametrize("wrong", ["no-such", "utf-7"])
def test_a_declaration_that_names_no_encoding_is_passed_over(wrong: str) -> None:
    assert "中文" in decoded(f"<meta charset={wrong}><p>中文".encode(), "a.html")[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x" * 16_777_217, "pages above 16777216"),
        (b"<p>a\0b", "NUL"),
        (b"<div>" * 10_000 + b"x", "nested deeper than 5000"),
        ("<section>深".encode() * 6_000, "nested deeper than 5000"),
    ],
)
def test_what_no_page_should_be_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ExpectedFailure, match=f"a.html: .*{reason}"):
        read_tree(content, "a.html")


@pytest.mark.parametrize(
    "content",
    [
        b"<div>" * 4_000,
        b"<p>" * 50_000,
        b"<br>" * 50_000,
        b"<div></div>" * 50_000,
        b"",
        b"<",
        b"\xe4\xb8",
    ],
)
def test_what_only_looks_deep_or_broken_is_read(content: bytes) -> None:
    assert read_tree(content, "a.html").tree.body is not None
