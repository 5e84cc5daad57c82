import pytest

from devloop_tools.domain.html.links import rebased, split_link


@pytest.mark.parametrize(
    ("link", "moved"),
    [
        ("../img/x.png", "../img/x.png"),
        ("c.html#安装", "../a/c.html#安装"),
        ("#top", "#top"),
        ("/abs.css", "/abs.css"),
        ("https://e.x/", "https://e.x/"),
        ("mailto:q@e.x", "mailto:q@e.x"),
        ("data:,x", "data:,x"),
        ("c.html?x=1&amp;y=2", "../a/c.html?x=1&amp;y=2"),
        ("c d.html", "../a/c d.html"),
        ("javascript:void(0)", "javascript:void(0)"),
        ("//cdn.x/y", "//cdn.x/y"),
        ("", ""),
        ("?q=1", "?q=1"),
        ("子/", "../a/子/"),
    ],
)
def test_h_h07_relative_links_lead_where_they_led(link: str, moved: str) -> None:
    assert rebased(f'<a href="{link}">x</a>', "a", "_archive") == f'<a href="{moved}">x</a>'


def test_every_kind_of_link_moves_and_nothing_else_does() -> None:
    source = (
        "<img alt='src=x' src='图.png'\n srcset='a.png 1x, b.png 2x'>"
        "<p title=\"href='x'\">href=y</p>"
    )
    assert rebased(source, "", "_archive") == (
        "<img alt='src=x' src='../图.png'\n srcset='../a.png 1x, ../b.png 2x'>"
        "<p title=\"href='x'\">href=y</p>"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a.html#b", ("a.html", "b")),
        ("%E7%94%B2.html?x#%E4%B9%99", ("甲.html", "乙")),
        ("a", ("a", None)),
    ],
)
def test_a_link_is_split_into_file_and_anchor(value: str, expected: tuple[str, str | None]) -> None:
    assert split_link(value) == expected
