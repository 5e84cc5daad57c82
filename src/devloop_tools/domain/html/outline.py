"""A page of a site by its anatomy, with the places in its source where each part stands.

The anatomy is `body[data-page]` > `.shell` > `aside#sidebar` + `main.page` > `header.page-head` +
`article.body` > `section`s + `nav.prev-next` + `footer.site`. Pages written by hand in it are read
as well as our own: parts may be missing, sections may lack ids.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from devloop_tools.domain.html.anchors import Anchors, is_usable, slug
from devloop_tools.domain.html.markup import (
    MAX_DEPTH,
    OPTIONAL_END,
    VOID,
    Kind,
    PageFault,
    Token,
    tokens,
)

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_OUTLINED = _HEADINGS | {"article", "section", "header", "title", "body", "p"}
_FOREIGN = frozenset({"svg", "math", "template"})


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` to `end` of the source."""

    start: int
    end: int

    def of(self, source: str) -> str:
        return source[self.start : self.end]


@dataclass(slots=True)
class Element:
    """One outlined element; `closed` is false where its end tag is missing."""

    name: str
    tag: Token
    content: Span
    end: int
    closed: bool
    children: list["Element"] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        found = self.tag.get("id")
        return found if is_usable(found) else None

    def walk(self) -> Iterator["Element"]:
        for child in self.children:
            yield child
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Heading:
    """A place that links can lead to: a section by its first heading, or a heading below it."""

    id: str
    title: str
    level: int


@dataclass(frozen=True, slots=True)
class Section:
    """One `section` of the article. `anchor` is its id, or the one that the page's script gives."""

    anchor: str
    element: Element
    heading: Element | None

    @property
    def content(self) -> Span:
        return self.element.content


@dataclass(frozen=True, slots=True)
class PageOutline:
    """The parts of one page; None for what it lacks."""

    source: str
    ids: frozenset[str]
    title: Element | None
    h1: Element | None
    deck: Element | None
    article: Element | None
    sections: Sequence[Section]
    headings: Sequence[Heading]

    @property
    def newline(self) -> str:
        """The line end that most lines have."""
        crlf = self.source.count("\r\n")
        return "\r\n" if crlf * 2 > self.source.count("\n") else "\n"

    def text(self, element: Element | None) -> str:
        return plain(element.content.of(self.source)) if element else ""


def plain(source: str) -> str:
    """The text of a piece of HTML, blanks joined."""
    texts = [html.unescape(source[t.start : t.end]) for t in tokens(source) if t.kind is Kind.TEXT]
    return " ".join("".join(texts).split())


def read_outline(source: str, path: str) -> PageOutline:
    """The page in `source`. Raises PageFault where it is nested too deep to be a page."""
    found = tokens(source)
    require_shallow(found, path)
    return outline_of(source, found)


def outline_of(source: str, found: Sequence[Token]) -> PageOutline:
    """The page whose tokens have been found and are not too deep."""
    outline = _outline(found, len(source))
    article = next((e for e in outline.walk() if _is_article(e)), None)
    page_head = next((e for e in outline.walk() if "page-head" in e.tag.classes), outline)
    ids = [token.get("id") for token in found if token.kind is Kind.OPEN]
    taken = frozenset(value for value in ids if value is not None and is_usable(value))
    sections, headings = _anchored(article, taken, source) if article else ([], [])
    return PageOutline(
        source=source,
        ids=taken,
        title=next((e for e in outline.walk() if e.name == "title"), None),
        h1=next((e for e in page_head.walk() if e.name == "h1"), None),
        deck=next((e for e in page_head.walk() if "deck" in e.tag.classes), None),
        article=article,
        sections=sections,
        headings=headings,
    )


def require_shallow(found: Sequence[Token], path: str) -> None:
    """Raises PageFault for tags nested deeper than any page needs."""
    depth = 0
    for token in found:
        if not token.name or token.name in VOID or token.name in OPTIONAL_END:
            continue
        depth += -1 if token.kind is Kind.CLOSE else not token.self_closing
        if depth > MAX_DEPTH:
            raise PageFault(
                f"{path}: tags are nested deeper than {MAX_DEPTH}.", "Close the tags in it."
            )


def ids_outside(page: PageOutline, span: Span) -> frozenset[str]:
    """The ids of the page that don't stand inside `span`."""
    kept = page.source[: span.start] + page.source[span.end :]
    ids = [token.get("id") for token in tokens(kept) if token.kind is Kind.OPEN]
    return frozenset(value for value in ids if value is not None and is_usable(value))


def splice(source: str, changes: Sequence[tuple[Span, str]]) -> str:
    """`source` with each span replaced; spans must not overlap."""
    for span, text in sorted(changes, key=lambda change: change[0].start, reverse=True):
        source = source[: span.start] + text + source[span.end :]
    return source


def with_newlines(text: str, newline: str) -> str:
    """`text` with every line end as the page has it."""
    return re.sub(r"\r\n|\r|\n", newline, text)


def _is_article(element: Element) -> bool:
    return element.name == "article" and "body" in element.tag.classes


def _outline(found: Sequence[Token], length: int) -> Element:
    """The outlined elements as a tree; drawings and templates are left out."""
    root = Element("", Token(Kind.OPEN, "", (), 0, 0), Span(0, length), length, closed=True)
    open_elements = [root]
    foreign: list[str] = []
    for token in found:
        if token.name in _FOREIGN and not token.self_closing:
            _follow(foreign, token)
        elif foreign or token.name not in _OUTLINED:
            continue
        elif token.kind is Kind.OPEN:
            if open_elements[-1].name == "p":
                _close(open_elements, token.start, token.start, closed=False)
            element = Element(token.name, token, Span(token.end, length), length, closed=False)
            open_elements[-1].children.append(element)
            open_elements.append(element)
        elif any(element.name == token.name for element in open_elements):
            while open_elements[-1].name != token.name:
                _close(open_elements, token.start, token.start, closed=False)
            _close(open_elements, token.start, token.end, closed=True)
    return root


def _follow(foreign: list[str], token: Token) -> None:
    if token.kind is Kind.OPEN:
        foreign.append(token.name)
    elif token.name in foreign:
        while foreign.pop() != token.name:
            pass


def _close(open_elements: list[Element], content_end: int, end: int, *, closed: bool) -> None:
    element = open_elements.pop()
    element.content = Span(element.content.start, content_end)
    element.end, element.closed = end, closed


def _anchored(
    article: Element, taken: frozenset[str], source: str
) -> tuple[list[Section], list[Heading]]:
    anchors = Anchors(taken)
    sections: list[Section] = []
    headings: list[Heading] = []
    titles: set[int] = set()
    for element in article.walk():
        if element.name == "section":
            first = next((e for e in element.walk() if e.name in _HEADINGS), None)
            text = plain(first.content.of(source)) if first else ""
            anchor = element.id or anchors.claim(slug(text))
            sections.append(Section(anchor, element, first))
            if first and first.tag.start not in titles:
                titles.add(first.tag.start)
                headings.append(Heading(anchor, text, int(first.name[1])))
        elif element.name in _HEADINGS and element.tag.start not in titles:
            text = plain(element.content.of(source))
            found = element.id or anchors.claim(slug(text))
            headings.append(Heading(found, text, int(element.name[1])))
    return sections, headings
