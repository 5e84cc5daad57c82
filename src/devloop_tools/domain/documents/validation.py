"""What is wrong with a site: links, anchors, tags, placeholders, order, index.

Each finding says where it is, in lines of the source, and what would mend it.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from devloop_tools.domain.documents.findings import Findings, SiteValidated
from devloop_tools.domain.documents.page_facts import PageFacts
from devloop_tools.domain.documents.search_index import INDEX_FILE, is_page, known_entries
from devloop_tools.domain.documents.site import INDEX_PAGE, SiteFile, SiteName, digest
from devloop_tools.domain.html.links import Link, is_relative, split_link
from devloop_tools.domain.html.markup import Kind, PageFault, Token, decode_utf8
from devloop_tools.domain.html.tag_balance import Fault, tag_faults
from devloop_tools.domain.json_files import load
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.workspace import Workspace

_PLACEHOLDER = re.compile(
    r"(?<![\w-])(?:TODO|TBD|FIXME)(?![\w-])|\{\{[^{}\n]{0,80}\}\}|(?<![等期招接])待补|待定|待完善"
    r"|(?i:lorem ipsum)"
)
_SIGNS = ("todo", "tbd", "fixme", "{{", "待补", "待定", "待完善", "lorem ipsum")
"""One of these is in whatever `_PLACEHOLDER` finds; most pages have none."""

_NOT_PROSE = frozenset({"code", "pre", "kbd", "samp", "script", "style", "textarea", "title"})
_ASSET_TAGS = frozenset({"link", "script", "img", "source", "video", "audio"})
_OUTSIDE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_SCRIPTED = re.compile(r"\s*(?:javascript|vbscript):", re.IGNORECASE)


_FAULTS = {
    Fault.UNCLOSED: ("<{name}> is not closed{by}", "Add </{name}> where it should end."),
    Fault.MISNESTED: ("<{name}> is closed after what stands around it{by}", "Swap the end tags."),
    Fault.STRAY: ("</{name}> closes nothing", "Take it out, or add <{name}> before."),
}


class SiteValidator:
    """Checks one site; changes nothing."""

    def __init__(
        self, workspace: Workspace, name: SiteName, findings: Findings | None = None
    ) -> None:
        self._workspace = workspace
        self._name = name
        self._findings = findings or Findings(name)
        self._files: set[str] = set()
        self._pages: dict[str, PageFacts] = {}
        self._hashes: dict[str, str] = {}
        self._site: SiteFile | None = None
        self.count = 0

    @property
    def pages(self) -> Mapping[str, PageFacts]:
        """The pages that could be read, by their paths in the site."""
        return self._pages

    def path_of(self, chapter_id: str) -> str | None:
        """Where site.json says that the page of a chapter lies; None where it lists none."""
        chapter = self._site.chapter(chapter_id) if self._site else None
        return chapter.page if chapter else None

    def validate(
        self, report: Callable[[float, float | None, str], None], *, strict: bool
    ) -> SiteValidated | Refused:
        """Every finding, errors first."""
        if (fault := self.check(report)) is not None:
            return fault
        return self._findings.verdict(self.count, strict=strict)

    def check(self, report: Callable[[float, float | None, str], None]) -> Refused | None:
        """Add what is wrong with the site to the findings. A refusal where there is no site."""
        listed = self._workspace.files_below(self._name)
        self._files = {file.path for file in listed}
        paths = [file.path for file in listed if is_page(file.path)]
        if not paths:
            return refused(
                f"{self._name}: there are no pages", f"Call bootstrap_{self._name}_site first."
            )
        self.count = len(paths)
        for count, path in enumerate(paths):
            self._read(path)
            report(count + 1, len(paths), path)
        for page in self._pages.values():
            self._check_page(page)
        self._check_site(paths)
        return None

    def _read(self, path: str) -> None:
        where = f"{self._name}/{path}"
        try:
            content = self._workspace.read(where) or b""
            self._hashes[path] = digest(content)
            self._pages[path] = PageFacts(path, decode_utf8(content, where))
        except PageFault as exc:
            self._findings.error("unreadable", path, 1, exc.reason, exc.hint)
        except StorageError as exc:
            self._findings.error("unreadable", path, 1, str(exc), "Make the file smaller.")

    def _error(self, code: str, page: PageFacts, at: int, message: str, fix: str) -> None:
        self._findings.error(code, page.path, page.lines.at(at), message, fix)

    def _warning(self, code: str, page: PageFacts, at: int, message: str, fix: str) -> None:
        self._findings.warning(code, page.path, page.lines.at(at), message, fix)

    def _check_page(self, page: PageFacts) -> None:
        self._check_links(page)
        self._check_ids(page)
        self._check_tags(page)
        self._check_images(page)
        for at, text in _placeholders(page):
            message = f"{text} was left behind"
            self._warning("placeholder", page, at, message, "Write what belongs there.")

    def _check_links(self, page: PageFacts) -> None:
        for link in page.links:
            at, value = link.tag.start, link.value
            if _SCRIPTED.match(value):
                message = f"{link.attribute} runs a script: {value[:80]}"
                self._error("script-link", page, at, message, "Link to a page or an anchor.")
            elif _OUTSIDE.match(value):
                if link.tag.name in _ASSET_TAGS:
                    message = f"<{link.tag.name}> loads from outside: {value[:80]}"
                    fix = "Put the file into assets/; the site must open with no network."
                    self._warning("outside-asset", page, at, message, fix)
            elif is_relative(value) and link.attribute not in ("srcset", "data", "cite"):
                self._check_relative(page, link)

    def _check_relative(self, page: PageFacts, link: Link) -> None:
        path, fragment = split_link(link.value.strip())
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        if not path:
            target = page.path
        if not self._exists(target, is_folder=path.endswith("/")):
            is_asset = link.tag.name in _ASSET_TAGS
            code = "missing-asset" if is_asset else "broken-link"
            message = f"{link.value[:120]} leads to no file"
            self._error(code, page, link.tag.start, message, self._nearest(page, target))
            return
        known = self._pages.get(target)
        if not fragment or fragment == "top" or known is None or fragment in known.anchors:
            return
        near = ", ".join(sorted(known.anchors)[:8]) or "none"
        message = f"{link.value[:120]}: {target} has no anchor {fragment[:80]}"
        self._error("broken-anchor", page, link.tag.start, message, f"Its anchors: {near}.")

    def _exists(self, target: str, *, is_folder: bool) -> bool:
        if is_folder:
            return f"{target}/{INDEX_PAGE}".removeprefix("./") in self._files
        if target in self._files:
            return True
        outside = posixpath.normpath(posixpath.join(self._name, target))
        if not target.startswith("../") or outside.startswith(".."):
            return False
        try:
            return self._workspace.readable(outside).exists()
        except (StorageError, ValueError):
            return False

    def _nearest(self, page: PageFacts, target: str) -> str:
        name = posixpath.basename(target).casefold()
        same = sorted(path for path in self._files if posixpath.basename(path).casefold() == name)
        if not same:
            return "Make the file, or take the link out."
        return f"There is {posixpath.relpath(same[0], posixpath.dirname(page.path) or '.')}."

    def _check_ids(self, page: PageFacts) -> None:
        seen: dict[str, Token] = {}
        for value, token in page.ids:
            if (first := seen.setdefault(value, token)) is not token:
                message = f"the id {value[:80]} stands in line {page.lines.at(first.start)} too"
                self._error("duplicate-id", page, token.start, message, "Give it its own id.")

    def _check_tags(self, page: PageFacts) -> None:
        for found in tag_faults(page.tokens):
            message, fix = _FAULTS[found.fault]
            name = found.token.name
            by = ""
            if found.other is not None:
                slash = "/" if found.other.kind is Kind.CLOSE else ""
                by = f": <{slash}{found.other.name}> in line {page.lines.at(found.other.start)}"
            self._error(
                found.fault,
                page,
                found.token.start,
                message.format(name=name, by=by),
                fix.format(name=name),
            )

    def _check_images(self, page: PageFacts) -> None:
        for token in page.tokens:
            if token.kind is Kind.OPEN and token.name == "img" and token.get("alt") is None:
                message = f"<img src={(token.get('src') or '')[:80]}> has no alt"
                fix = 'Say what it shows in alt; alt="" if it only decorates.'
                self._error("image-without-alt", page, token.start, message, fix)

    def _check_site(self, paths: list[str]) -> None:
        file = self._workspace.readable(f"{self._name}/site.json")
        site = self._site = load(file, SiteFile)
        if site is None:
            fix = f"Call bootstrap_{self._name}_site."
            self._findings.warning("no-site-file", "site.json", 1, "there is no site.json", fix)
        listed = [chapter.page for chapter in site.chapters] if site else []
        for path in listed:
            if path not in self._files:
                message = f"site.json lists {path}, which is no file"
                fix = "Write it with write_chapter."
                self._findings.error("missing-page", "site.json", 1, message, fix)
        self._check_order(listed)
        self._check_groups(site)
        self._check_orphans(paths, listed)
        self._check_index(paths)

    def _check_order(self, listed: list[str]) -> None:
        for place, path in enumerate(listed):
            page = self._pages.get(path)
            if page is None:
                continue
            expected = {*listed[max(0, place - 1) : place], *listed[place + 1 : place + 2]}
            for link in _prev_next(page):
                target, _ = split_link(link.value)
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                if target not in expected and target != INDEX_PAGE:
                    message = f"prev-next leads to {target}, which is no neighbour in site.json"
                    fix = "Leave nav.prev-next empty: the page's script fills it."
                    self._warning("order", page, link.tag.start, message, fix)

    def _check_groups(self, site: SiteFile | None) -> None:
        seen: list[str] = []
        for chapter in site.chapters if site else []:
            group = chapter.group or ""
            if group in seen and seen[-1] != group:
                message = f"{chapter.id} stands apart from the rest of its group {group}"
                fix = "Call bootstrap with overwrite and the chapters of a group together."
                self._findings.warning("order", "site.json", 1, message, fix)
            if group and (not seen or seen[-1] != group):
                seen.append(group)

    def _check_orphans(self, paths: list[str], listed: list[str]) -> None:
        reached = {INDEX_PAGE, *listed}
        for page in self._pages.values():
            for link in page.links:
                if link.tag.name == "a" and is_relative(link.value):
                    path, _ = split_link(link.value)
                    target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
                    if target != page.path:
                        reached.add(target)
        for path in paths:
            if path not in reached:
                message = "no page leads here, and site.json doesn't list it"
                fix = "Link to it, or list it with write_chapter."
                self._findings.warning("orphan-page", path, 1, message, fix)

    def _check_index(self, paths: list[str]) -> None:
        known = known_entries(self._workspace.read(f"{self._name}/{INDEX_FILE}"))
        stale = [
            path for path in paths if known.get(path, {}).get("hash") != self._hashes.get(path)
        ]
        gone = sorted(known.keys() - set(paths))
        if stale or gone:
            names = ", ".join([*stale, *gone][:8])
            message = f"the search index is behind in {len(stale) + len(gone)} pages: {names}"
            fix = "Call update_search_index."
            self._findings.warning("stale-index", INDEX_FILE, 1, message, fix)


def _placeholders(page: PageFacts) -> Iterator[tuple[int, str]]:
    lowered = page.source.lower()
    if not any(sign in lowered for sign in _SIGNS):
        return
    closed_to = 0
    for token in page.tokens:
        if token.kind is Kind.TEXT:
            if not closed_to:
                text = page.source[token.start : token.end]
                for found in _PLACEHOLDER.finditer(text):
                    yield token.start + found.start(), found[0]
        elif token.name in _NOT_PROSE:
            closed_to = max(0, closed_to + (1 if token.kind is Kind.OPEN else -1))


def _prev_next(page: PageFacts) -> Iterator[Link]:
    start = end = -1
    for token in page.tokens:
        if token.name == "nav" and token.kind is Kind.OPEN and "prev-next" in token.classes:
            start = token.start
        elif token.name == "nav" and token.kind is Kind.CLOSE and start >= 0 > end:
            end = token.start
    for link in page.links:
        if start <= link.start < end and link.attribute == "href" and is_relative(link.value):
            yield link
