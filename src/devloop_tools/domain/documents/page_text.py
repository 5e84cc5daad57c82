"""The text of a page by sections, as a search finds it: no markup, no scripts, blocks apart."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devloop_tools.domain.html.anchors import Anchors, is_usable, slug
from devloop_tools.domain.html.pieces import text_of
from devloop_tools.domain.html.tree import parsed

if TYPE_CHECKING:  # see html.pieces
    from selectolax.lexbor import LexborNode

_SKIPPED = frozenset("script style template noscript nav aside footer svg head select".split())
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_HEADING_QUERY = "h1, h2, h3, h4, h5, h6"
_INLINE = frozenset(
    """a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span
    strike strong sub sup time tt u var wbr rb""".split()
)


@dataclass(slots=True)
class SectionText:
    """One section: its anchor ("" is the page itself), its heading and its words."""

    anchor: str
    title: str
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.parts).split())


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its sections in order, the page itself first."""

    title: str
    sections: list[SectionText]


def read_text(source: str, path: str) -> PageText:
    """The texts of a page. Raises ExpectedFailure where it is nested too deep."""
    tree = parsed(source, path)
    heading = tree.css_first("h1")
    named = tree.css_first("head > title") or tree.css_first("title")
    title = text_of(heading) if heading is not None else ""
    title = title or (text_of(named) if named is not None else "") or path
    reader = _Reader(title, [node.attributes.get("id") or "" for node in tree.css("[id]")])
    if tree.body is not None:
        reader.walk(tree.body)
    return PageText(title, [s for s in reader.sections if s.parts or s.title])


class _Reader:
    """Collects text, section by section, in the order of the document."""

    def __init__(self, title: str, ids: list[str]) -> None:
        self.sections = [SectionText("", title)]
        self._anchors = Anchors(found for found in ids if is_usable(found))
        self._current = self.sections[0]
        self._in_article = False
        self._heading = 0

    def walk(self, node: "LexborNode") -> None:
        child = node.first_child
        while child is not None:
            tag = child.tag
            if tag == "-text":
                self._current.parts.append(child.text_content or "")
            elif tag not in _SKIPPED:
                self._enter(child, tag or "")
            child = child.next

    def _enter(self, node: "LexborNode", tag: str) -> None:
        if tag in _INLINE:
            self.walk(node)
            return
        before, was_article = self._current, self._in_article
        self._current.parts.append(" ")
        if node.mem_id == self._heading:
            return
        if tag == "article" and "body" in (node.attributes.get("class") or "").split():
            self._in_article = True
        elif self._in_article and tag == "section":
            self._current = self._section(node)
        elif self._in_article and tag in _HEADINGS:
            self._claim(node)
        self.walk(node)
        self._current, self._in_article = before, was_article
        self._current.parts.append(" ")

    def _section(self, node: "LexborNode") -> SectionText:
        heading = node.css_first(_HEADING_QUERY)
        title = text_of(heading) if heading is not None else ""
        self._heading = heading.mem_id if heading is not None else 0
        found = node.attributes.get("id")
        anchor = found if found and is_usable(found) else self._anchors.claim(slug(title))
        section = SectionText(anchor, title)
        self.sections.append(section)
        return section

    def _claim(self, node: "LexborNode") -> None:
        if not node.attributes.get("id"):
            self._anchors.claim(slug(text_of(node)))
