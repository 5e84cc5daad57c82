"""Changes one section of a page and leaves every other byte: its text, or a section that is new."""

import html
from collections.abc import Sequence

from devloop_tools.domain.documents.fragment import content_of
from devloop_tools.domain.html.markup import OPTIONAL_END, VOID, Kind, Token, tokens
from devloop_tools.domain.html.outline import (
    PageOutline,
    Section,
    Span,
    ids_outside,
    splice,
    with_newlines,
)
from devloop_tools.domain.outcome import Refused, refused


def section_named(page: PageOutline, wanted: str | None) -> Section | None:
    """The section with that anchor, or whose heading has that id."""
    exact = next((s for s in page.sections if s.anchor == wanted), None)
    return exact or next(
        (s for s in page.sections if s.heading is not None and s.heading.id == wanted), None
    )


def section_text(page: PageOutline, section: Section, clean: str) -> tuple[Span, str]:
    """What `clean` replaces in a closed section, and by what.

    Text that begins with no heading keeps the section's.
    """
    whole = section.content
    taken = ids_outside(page, whole) | {other.anchor for other in page.sections}
    fragment = content_of(clean, taken)
    inside = whole.of(page.source)
    start = None if fragment.begins_with_heading else behind_heading(page, section)
    before = "\n"
    if start is None:
        start = whole.start
        before = inside[: len(inside) - len(inside.lstrip())] or "\n"
    ending = inside[len(inside.rstrip()) :] or "\n"
    return Span(start, whole.end), f"{before}{fragment.markup}{ending}"


def behind_heading(page: PageOutline, section: Section) -> int | None:
    """Where the section's own heading ends, with what stands around it; None if it has none.

    A heading below the second level is the section's own only where nothing comes before it.
    """
    heading = section.heading
    if heading is None or not heading.closed:
        return None
    before = Span(section.content.start, heading.tag.start).of(page.source)
    if heading.name not in ("h1", "h2") and before.strip():
        return None
    around = _left_open(tokens(before), [])
    if not around:
        return heading.end
    if "section" in around:
        return None
    rest = Span(heading.end, section.content.end).of(page.source)
    for token in tokens(rest):
        around = _left_open([token], around)
        if not around:
            return heading.end + token.end
    return None


def _left_open(found: Sequence[Token], around: list[str]) -> list[str]:
    """The elements that are open behind `found`, which stands inside those of `around`."""
    names = list(around)
    for token in found:
        if token.name in VOID or token.name in OPTIONAL_END or token.self_closing:
            continue
        if token.kind is Kind.OPEN:
            names.append(token.name)
        elif token.kind is Kind.CLOSE and token.name in names:
            while names.pop() != token.name:
                pass
    return names


def with_section(
    page: PageOutline, path: str, anchor: str, title: str, clean: str, order: Sequence[str]
) -> str | Refused:
    """The page's source with `clean` as the text of the section `anchor`.

    One that the page lacks is made, with `title` for its heading, where it belongs among the
    sections of `order`, else at the end of the article.
    """
    section = section_named(page, anchor)
    if section is None:
        return _with_new(page, path, anchor, title, clean, order)
    if not section.element.closed:
        return refused(f"{path}: the section {anchor} is not closed", "Add its </section> first.")
    span, text = section_text(page, section, clean)
    return splice(page.source, [(span, with_newlines(text, page.newline))])


def _with_new(
    page: PageOutline, path: str, anchor: str, title: str, clean: str, order: Sequence[str]
) -> str | Refused:
    if page.article is None or not page.article.closed:
        return refused(
            f"{path}: there is no whole article.body in it",
            'Put its text into <article class="body"> ... </article> first.',
        )
    taken = page.ids | {section.anchor for section in page.sections} | {anchor, f"h-{anchor}"}
    fragment = content_of(clean, taken)
    heading = ""
    if not fragment.begins_with_heading:
        heading = f'<h2 id="h-{anchor}">{html.escape(fragment.title or title)}</h2>\n'
    markup = f'<section id="{anchor}">\n{heading}{fragment.markup}\n</section>'
    at = _place(page, anchor, order)
    return splice(page.source, [(Span(at, at), with_newlines(f"\n{markup}", page.newline))])


def _place(page: PageOutline, anchor: str, order: Sequence[str]) -> int:
    """Behind the nearest section that comes before it in `order`, else before one that follows."""
    assert page.article is not None
    at = order.index(anchor)
    for name in reversed(order[:at]):
        if (known := section_named(page, name)) and known.element.closed:
            return known.element.end
    for name in order[at + 1 :]:
        if known := section_named(page, name):
            before = page.source[: known.element.tag.start]
            return len(before.rstrip())
    inside = page.article.content.of(page.source)
    return page.article.content.start + len(inside.rstrip())
