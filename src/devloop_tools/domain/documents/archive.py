"""Keeps a copy of a page as it is, byte for byte, and a view of it whose links work."""

import posixpath

import orjson

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.documents.site import ARCHIVE_FOLDER, Emitter, SiteName, digest
from devloop_tools.domain.events import EventType
from devloop_tools.domain.html.links import rebased
from devloop_tools.domain.html.markup import PageFault, decode_utf8
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.sandbox import split
from devloop_tools.storage.workspace import Workspace

MANIFEST = "manifest.ndjson"
_SAME_MOMENT = 1000


class DocArchived(Done):
    """The copy at `path`; `view` is the page to open, null for a file that is no UTF-8 page."""

    archive_id: str
    path: str
    view: str | None
    hash: str


class Archive:
    """Reads and writes `{site}/_archive/`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def keep(self, path: str, reason: str) -> DocArchived | Refused:
        """Copy the file at `path`, which must lie in a site."""
        file = self._workspace.readable(path)
        names = split(path)
        if names[0] not in list(SiteName) or len(names) < 2 or names[1] == ARCHIVE_FOLDER:
            return refused(
                f"path: {path} is no file of a site that could be archived",
                "Name a file below prd/ or sdd/, outside _archive.",
            )
        content = file.read()
        if content is None:
            return refused(f"path: there is no file {path}", "Name a page that exists.")
        return self.keep_content(SiteName(names[0]), "/".join(names[1:]), content, reason)

    def keep_content(self, site: SiteName, page: str, content: bytes, reason: str) -> DocArchived:
        """Copy `content`, which is or was the file `page` of the site."""
        folder = f"{site}/{ARCHIVE_FOLDER}"
        name = page.rpartition("/")[2]
        moment = timestamp()
        stamp = moment.translate(str.maketrans("", "", "-:."))
        with self._workspace.locked(f"{folder}/{MANIFEST}") as manifest:
            archive_id = self._copy(folder, stamp, name, content)
            view = self._view(site, page, archive_id, content)
            path = f"{folder}/{archive_id}"
            line = {
                "archive_id": archive_id,
                "ts": moment,
                "source": f"{site}/{page}",
                "path": path,
                "view": view,
                "hash": digest(content),
                "bytes": len(content),
                "reason": reason,
                "agent": self._origin.agent,
                "call_id": self._origin.call_id,
            }
            entry = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
            manifest.append_line(lambda _: entry, is_entry=lambda old: old.startswith(b"{"))
        fact = {"site": site.value, "path": path, "archive_id": archive_id, "reason": reason}
        self._events.emit(self._origin, EventType.DOC_ARCHIVED, fact)
        return DocArchived(archive_id=archive_id, path=path, view=view, hash=digest(content))

    def _copy(self, folder: str, stamp: str, name: str, content: bytes) -> str:
        for count in range(_SAME_MOMENT):
            archive_id = f"{stamp}-{name}" if count == 0 else f"{stamp}.{count}-{name}"
            if self._workspace.beside(f"{folder}/{archive_id}").create(content):
                return archive_id
        raise AssertionError("a thousand copies in one millisecond")  # pragma: no cover

    def _view(self, site: SiteName, page: str, archive_id: str, content: bytes) -> str | None:
        if not page.endswith((".html", ".htm")):
            return None
        path = f"{site}/{ARCHIVE_FOLDER}/{archive_id.removesuffix('.html')}.view.html"
        try:
            source = decode_utf8(content, path)
        except PageFault:
            return None
        moved = rebased(source, posixpath.dirname(page), ARCHIVE_FOLDER)
        self._workspace.beside(path).replace(moved.encode())
        return path
