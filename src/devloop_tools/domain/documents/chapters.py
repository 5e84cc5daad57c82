"""Writes what an author gives into a chapter: whole, at its end, or into one section."""

import html
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel

from devloop_tools.domain.documents.fragment import sections_of
from devloop_tools.domain.documents.section_writing import section_named, section_text
from devloop_tools.domain.documents.site import UNITS_FOLDER, Chapter, Emitter, SiteName, digest
from devloop_tools.domain.documents.site_shell import head_title, page_html
from devloop_tools.domain.documents.site_store import OpenSite, SiteStore
from devloop_tools.domain.events import EventType
from devloop_tools.domain.html.from_markdown import markdown_to_html
from devloop_tools.domain.html.markup import decode_utf8
from devloop_tools.domain.html.outline import (
    PageOutline,
    Span,
    ids_outside,
    read_outline,
    splice,
    with_newlines,
)
from devloop_tools.domain.html.sanitising import sanitised
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.workspace import Workspace

MAX_ANCHORS = 300


class Mode(StrEnum):
    REPLACE = "replace"
    APPEND = "append"
    SECTION = "section"


class AnchorAt(BaseModel):
    """A place in the page that links can lead to."""

    id: str
    title: str
    level: int


class ChapterWritten(Done):
    """The page as it is: expect `hash` when you write it next."""

    path: str
    hash: str
    anchors: list[AnchorAt]
    warnings: list[str]


class HashConflict(Refused):
    """Somebody wrote the page since; `hash` is the present one, null where there is no page."""

    hash: str | None


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be written where. Exactly one of `markdown` and `markup` is given."""

    site: SiteName
    chapter_id: str
    title: str | None
    markdown: str | None
    markup: str | None
    mode: Mode
    section_id: str | None
    expected_hash: str | None


class ChapterStore:
    """Reads and writes the chapters of both sites."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._sites = SiteStore(workspace, origin, events)
        self._origin = origin
        self._events = events

    def write(self, draft: Draft) -> ChapterWritten | HashConflict | Refused:
        """Write the draft; the rest of the page and its shell stay as they are."""
        clean, warnings = _clean(draft)
        with self._sites.opened(draft.site) as site:
            if fault := _fault(site, draft):
                return fault
            listed = site.site.chapter(draft.chapter_id) if site.site else None
            file = site.page(listed.page if listed else f"{draft.chapter_id}.html")
            present = file.read()
            if draft.expected_hash is not None:
                found = digest(present) if present is not None else None
                if found != draft.expected_hash:
                    return _conflict(file.path, found)
            if present is None:
                written = _new_page(site, draft, clean)
            else:
                source = decode_utf8(present, file.path)
                written = _changed_page(site, draft, clean, read_outline(source, file.path))
            if isinstance(written, Refused):
                return written
            content = written.source.encode()
            page = read_outline(written.source, file.path)
            if content != present:
                file.replace(content)
            self._list(site, draft, written.title or page.text(page.h1))
        if content != present:
            fact = {"site": draft.site.value, "path": file.path, "hash": digest(content)}
            self._events.emit(self._origin, EventType.DOC_WRITTEN, fact)
        anchors = [AnchorAt(id=h.id, title=h.title, level=h.level) for h in page.headings]
        return ChapterWritten(
            path=file.path,
            hash=digest(content),
            anchors=anchors[:MAX_ANCHORS],
            warnings=[*warnings, *written.warnings],
        )

    def _list(self, site: OpenSite, draft: Draft, title: str) -> None:
        if site.site is None:
            return
        old = site.site.chapter(draft.chapter_id)
        if old is None:
            chapter = Chapter(id=draft.chapter_id, title=title or draft.chapter_id)
        elif draft.title or (draft.mode is Mode.REPLACE and title):
            chapter = old.model_copy(update={"title": title})
        else:
            return
        site.site = site.site.with_chapter(chapter)
        site.keep_shell()
        site.save()


@dataclass(frozen=True, slots=True)
class _Written:
    source: str
    title: str | None
    warnings: tuple[str, ...] = ()


def _clean(draft: Draft) -> tuple[str, list[str]]:
    if draft.markdown is not None:
        return sanitised(markdown_to_html(draft.markdown, "markdown"), "markdown")
    return sanitised(draft.markup or "", "html")


def _fault(site: OpenSite, draft: Draft) -> Refused | None:
    if site.site is None and site.page(f"{draft.chapter_id}.html").read() is None:
        return refused(
            f"{draft.site}/site.json: there is no site",
            f"Call bootstrap_{draft.site}_site first.",
        )
    listed = site.site.chapter(draft.chapter_id) if site.site else None
    if listed and listed.page.startswith(f"{UNITS_FOLDER}/"):
        return refused(
            f"chapter_id: {draft.chapter_id} is a unit", "Its page is written by write_mvcp_page."
        )
    others = site.site.chapters if site.site else []
    folded = draft.chapter_id.casefold()
    for other in others:
        if other.id.casefold() == folded and other.id != draft.chapter_id:
            return refused(f"chapter_id: {draft.chapter_id}", f"There is {other.id}: use that.")
    return None


def _conflict(path: str, found: str | None) -> HashConflict:
    return HashConflict(
        reason=f"expected_hash: {path} was written since",
        hint="Read the page again, and send the present hash with your change.",
        hash=found,
    )


def _new_page(site: OpenSite, draft: Draft, clean: str) -> _Written | Refused:
    if draft.mode is Mode.SECTION:
        return refused(
            f"section_id: {draft.chapter_id} has no page yet", "Write it with mode replace first."
        )
    assert site.site is not None
    fragment = sections_of(clean, ())
    listed = site.site.chapter(draft.chapter_id)
    title = draft.title or fragment.title or (listed.title if listed else draft.chapter_id)
    chapter = listed or Chapter(id=draft.chapter_id, title=title)
    chapter = chapter.model_copy(update={"title": title})
    return _Written(page_html(site.site, chapter, fragment.markup), title)


def _changed_page(
    site: OpenSite, draft: Draft, clean: str, page: PageOutline
) -> _Written | Refused:
    path = f"{site.name}/{draft.chapter_id}.html"
    if draft.mode is Mode.SECTION:
        change = _section_change(draft, clean, page, path)
    else:
        change = _article_change(draft, clean, page, path)
    if isinstance(change, Refused):
        return change
    span, text, found_title = change
    title = draft.title or (found_title if draft.mode is Mode.REPLACE else None)
    changes = [(span, with_newlines(text, page.newline))]
    warnings: list[str] = []
    if title and title != page.text(page.h1):
        changes += _title_changes(site, title, page)
        if page.h1 is None:
            warnings.append("the page has no h1 in its head; the title is in site.json alone")
    if site.site is None:
        warnings.append(f"{site.name}/site.json: there is none; call bootstrap_{site.name}_site")
    return _Written(splice(page.source, changes), title, tuple(warnings))


def _article_change(
    draft: Draft, clean: str, page: PageOutline, path: str
) -> tuple[Span, str, str | None] | Refused:
    if page.article is None or not page.article.closed:
        return refused(
            f"{path}: there is no whole article.body in it",
            'Put its text into <article class="body"> ... </article> first.',
        )
    span = page.article.content
    if draft.mode is Mode.REPLACE:
        fragment = sections_of(clean, ids_outside(page, span))
        ending = _last_blanks(span.of(page.source))
        return span, f"\n{fragment.markup}{ending}", fragment.title
    fragment = sections_of(clean, page.ids | {section.anchor for section in page.sections})
    ending = _last_blanks(span.of(page.source))
    end = Span(span.end - len(ending), span.end - len(ending))
    return end, f"\n{fragment.markup}", fragment.title


def _last_blanks(text: str) -> str:
    return text[len(text.rstrip()) :] or "\n"


def _section_change(
    draft: Draft, clean: str, page: PageOutline, path: str
) -> tuple[Span, str, str | None] | Refused:
    section = section_named(page, draft.section_id)
    if section is None:
        known = ", ".join(section.anchor for section in page.sections[:20]) or "none"
        return refused(
            f"section_id: {path} has no section {draft.section_id}", f"Its sections: {known}."
        )
    if not section.element.closed:
        return refused(
            f"{path}: the section {section.anchor} is not closed", "Add its </section> first."
        )
    span, text = section_text(page, section, clean)
    return span, text, None


def _title_changes(site: OpenSite, title: str, page: PageOutline) -> list[tuple[Span, str]]:
    changes = []
    if page.h1 is not None and page.h1.closed:
        changes.append((page.h1.content, html.escape(title)))
    if page.title is not None and page.title.closed:
        whole = head_title(title, site.site) if site.site else html.escape(title)
        changes.append((page.title.content, whole))
    return changes
