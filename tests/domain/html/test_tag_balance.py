import pytest
from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.html.markup import tokens
from devloop_tools.domain.html.tag_balance import tag_faults


def faults(source: str) -> list[tuple[str, str, int]]:
    return sorted((f.fault.value, f.token.name, f.token.start) for f in tag_faults(tokens(source)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<div>中<p>x</p>", [("unclosed-tag", "div", 0)]),
        ("<p>开始<p>二<div>三</div></p>", [("unclosed-tag", "p", 5)]),
        ("<b>甲<i>乙</b>c</i>", [("misnested-tag", "i", 4)]),
        ("<div><span>x</div>", [("unclosed-tag", "span", 5)]),
        ("x</section>", [("stray-end-tag", "section", 1)]),
        ("<svg><g></svg>", [("unclosed-tag", "g", 5)]),
        ("<div/>中", [("unclosed-tag", "div", 0)]),
        ("<div><p>x<ul></ul></div><pre></p></pre>", [("stray-end-tag", "p", 29)]),
        (BY_HAND, [("stray-end-tag", "p", BY_HAND.index('</p>"; }'))]),
    ],
)
def test_a_fault_is_named_with_the_tag_it_began_with(
    source: str, expected: list[tuple[str, str, int]]
) -> None:
    assert faults(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "<ul><li>甲<li>乙<ul><li>丙</ul></ul>",
        "<p>一<p>two<h2>x</h2>",
        "<table><tr><td>1<td>2<tr><th>3</table>",
        "<dl><dt>a<dd>b<dt>c</dl>",
        "<br><img src=x><hr/><input>",
        "<svg><path d=x /><g><rect/></g></svg>",
        "<!-- <div> --><script>'</div><p>'</script>",
        "<pre>&lt;div&gt;</pre>",
    ],
)
def test_what_only_looks_like_a_fault_is_none(source: str) -> None:
    assert faults(source) == []
