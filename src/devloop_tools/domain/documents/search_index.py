"""The index of a site: `assets/search-index.json` for programs, script shards for the page.

Pages are kept in groups; a group has one shard of terms and one of texts. When a page changes, its
group alone is made again, from the texts in `search-index.json` for the pages that didn't. The
manifest says of each group which terms it may hold, so that the page loads first what answers.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from devloop_tools.domain.documents.page_text import read_text
from devloop_tools.domain.documents.search_terms import index_terms
from devloop_tools.domain.documents.site import ARCHIVE_FOLDER, SiteName, digest
from devloop_tools.domain.documents.site_shell import script_json
from devloop_tools.domain.documents.stems import RULES
from devloop_tools.domain.documents.term_filters import term_filter
from devloop_tools.domain.html.markup import require_sane
from devloop_tools.domain.html.tree import decoded
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.errors import ExpectedFailure, StorageError
from devloop_tools.storage.listing import Listed
from devloop_tools.storage.workspace import Workspace

VERSION = 1
INDEX_FILE = "assets/search-index.json"
SHARD_FOLDER = "assets/search"
GROUP_SECTIONS = 200
TITLE_WEIGHT = 4
MAX_NOTES = 50

Entry = dict[str, Any]
"""One page as search-index.json has it."""


class SearchIndexUpdated(Done):
    """How much the index holds, and how many pages were read, unchanged and taken out."""

    path: str
    pages: int
    sections: int
    read: int
    unchanged: int
    removed: int
    notes: list[str]


class SearchIndex:
    """Reads and writes the index of one site."""

    def __init__(self, workspace: Workspace, name: SiteName) -> None:
        self._workspace = workspace
        self._name = name

    def update(
        self, report: Callable[[float, float | None, str], None]
    ) -> SearchIndexUpdated | Refused:
        """Bring the index up to what the pages say; `report` hears how far it is."""
        listed = self._pages()
        if not listed:
            return refused(
                f"{self._name}: there are no pages", f"Call bootstrap_{self._name}_site first."
            )
        with self._workspace.locked(f"{self._name}/{INDEX_FILE}") as file:
            old = known_entries(file.read())
            notes: list[str] = []
            entries: list[Entry] = []
            touched: set[int] = set()
            read = 0
            groups = _Groups(old.values())
            for count, page in enumerate(listed):
                entry = old.pop(page.path, None)
                if entry is None or (entry["size"], entry["stamp"]) != (page.size, page.stamp):
                    entry = self._read(page, entry, notes)
                    groups.place(entry)
                    touched.add(entry["group"])
                    read += 1
                entries.append(entry)
                report(count + 1, len(listed), page.path)
            touched |= {entry["group"] for entry in old.values()}
            if touched or not self._is_whole(groups.numbers):
                self._write_shards(entries, touched)
                document = {"version": VERSION, "site": self._name.value, "pages": entries}
                file.replace(orjson.dumps(document).replace(b"<", b"\\u003c"))
        return SearchIndexUpdated(
            path=file.path,
            pages=len(entries),
            sections=sum(len(entry["sections"]) for entry in entries),
            read=read,
            unchanged=len(entries) - read,
            removed=len(old),
            notes=notes[:MAX_NOTES],
        )

    def _pages(self) -> list[Listed]:
        found = self._workspace.files_below(self._name)
        return [page for page in found if is_page(page.path)]

    def _read(self, page: Listed, entry: Entry | None, notes: list[str]) -> Entry:
        """The page's entry; one that can't be read is in the index without text, with a note."""
        path = f"{self._name}/{page.path}"
        title, sections, found = page.path, [], ""
        try:
            content = self._workspace.read(path) or b""
            require_sane(content, path)
            source, note = decoded(content, path)
            text = read_text(source, path)
            title, found = text.title, digest(content)
            sections = [
                {"id": section.anchor, "title": section.title, "text": section.text}
                for section in text.sections
            ]
            if note:
                notes.append(note)
        except ExpectedFailure as exc:
            notes.append(exc.reason)
        except StorageError as exc:
            notes.append(str(exc))
        return {
            "path": page.path,
            "title": title,
            "size": page.size,
            "stamp": page.stamp,
            "hash": found,
            "group": entry["group"] if entry else -1,
            "sections": sections,
        }

    def _is_whole(self, numbers: Iterable[int]) -> bool:
        names = ["manifest.js", *(f"terms-{number}.js" for number in numbers)]
        folder = f"{self._name}/{SHARD_FOLDER}"
        return all(self._workspace.beside(f"{folder}/{name}").exists() for name in names)

    def _write_shards(self, entries: list[Entry], touched: set[int]) -> None:
        by_group: dict[int, list[Entry]] = {number: [] for number in touched}
        for entry in entries:
            by_group.setdefault(entry["group"], []).append(entry)
        present = sorted(number for number, group in by_group.items() if group)
        filters = self._filters()
        for number, group in by_group.items():
            if number in touched or number not in filters or not self._is_whole([number]):
                filters[number] = self._write_group(number, group)
        manifest = {
            "shards": present,
            "filters": [filters[number] for number in present],
            "pages": len(entries),
            "sections": sum(len(entry["sections"]) for entry in entries),
            "stems": RULES,
        }
        self._write("manifest.js", "manifest", manifest)

    def _filters(self) -> dict[int, str]:
        """The filters of groups, as the manifest that is there has them."""
        content = self._workspace.read(f"{self._name}/{SHARD_FOLDER}/manifest.js") or b""
        try:
            manifest = orjson.loads(content.partition(b"(")[2].rpartition(b")")[0])
            return dict(zip(manifest["shards"], manifest["filters"], strict=True))
        except (ValueError, KeyError, TypeError):
            return {}

    def _write_group(self, number: int, group: list[Entry]) -> str:
        """Write the group's two shards; the filter of its terms."""
        documents: list[list[object]] = []
        texts: list[str] = []
        postings: dict[str, list[int]] = {}
        for entry in group:
            for section in entry["sections"]:
                counts = Counter(index_terms(section["text"]))
                length = counts.total()
                for term in index_terms(section["title"]):
                    counts[term] += TITLE_WEIGHT
                for term, count in counts.items():
                    postings.setdefault(term, []).extend((len(documents), count))
                place = [entry["path"], section["id"], section["title"], entry["title"], length]
                documents.append(place)
                texts.append(section["text"])
        self._write(f"terms-{number}.js", "terms", number, {"docs": documents, "terms": postings})
        self._write(f"texts-{number}.js", "texts", number, texts)
        return term_filter(postings)

    def _write(self, name: str, function: str, *arguments: object) -> None:
        given = b", ".join(script_json(argument) for argument in arguments)
        content = b"window.DEVLOOP_SEARCH." + function.encode() + b"(" + given + b");\n"
        self._workspace.beside(f"{self._name}/{SHARD_FOLDER}/{name}").replace(content)


class _Groups:
    """Gives each page a group that it keeps."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.numbers: set[int] = set()
        self._sizes: Counter[int] = Counter()
        for entry in entries:
            self.numbers.add(entry["group"])
            self._sizes[entry["group"]] += len(entry["sections"])

    def place(self, entry: Entry) -> None:
        if entry["group"] >= 0:
            return
        last = max(self.numbers, default=0)
        if self._sizes[last] + len(entry["sections"]) > GROUP_SECTIONS and self._sizes[last]:
            last += 1
        entry["group"] = last
        self.numbers.add(last)
        self._sizes[last] += len(entry["sections"])


def is_page(path: str) -> bool:
    """Whether a file of a site is a page that people read, by its path in the site."""
    top = path.partition("/")[0]
    return path.endswith((".html", ".htm")) and top not in (ARCHIVE_FOLDER, "assets")


def known_entries(content: bytes | None) -> dict[str, Entry]:
    """The pages of an index file by path; none where it is missing or no index of ours."""
    try:
        document = orjson.loads(content or b"{}")
    except orjson.JSONDecodeError:
        return {}
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return {}
    needed = {"path", "title", "size", "stamp", "hash", "group", "sections"}
    pages = [page for page in document.get("pages", ()) if isinstance(page, dict)]
    return {page["path"]: page for page in pages if needed <= page.keys()}
