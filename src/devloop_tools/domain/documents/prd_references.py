"""Whether the chapters and anchors of the PRD exist that a design says it is for."""

from dataclasses import dataclass
from urllib.parse import unquote

from devloop_tools.domain.documents.page_facts import PageFacts
from devloop_tools.domain.documents.site import SiteFile, SiteName
from devloop_tools.domain.html.markup import decode_utf8
from devloop_tools.domain.json_files import load
from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReferenceFault:
    message: str
    fix: str


class PrdReferences:
    """Looks references up: `login`, `login#流程`, `login.html#流程` or `prd/login.html`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        site = load(workspace.readable(f"{SiteName.PRD}/site.json"), SiteFile)
        self._pages = {chapter.id: chapter.page for chapter in site.chapters} if site else {}
        self._anchors: dict[str, frozenset[str] | ReferenceFault] = {}

    def fault(self, reference: str) -> ReferenceFault | None:
        """Why the reference leads nowhere, or None."""
        name, hash_sign, anchor = reference.partition("#")
        name = name.strip().removeprefix(f"{SiteName.PRD}/")
        page = self._pages.get(name) or (name if name.endswith(".html") else f"{name}.html")
        if page not in self._anchors:
            self._anchors[page] = self._read(page)
        anchors = self._anchors[page]
        if isinstance(anchors, ReferenceFault):
            return anchors
        if hash_sign and not {anchor, unquote(anchor)} & anchors:
            near = ", ".join(sorted(anchors)[:8]) or "none"
            return ReferenceFault(f"prd/{page} has no anchor {anchor}", f"Its anchors: {near}.")
        return None

    def _read(self, page: str) -> frozenset[str] | ReferenceFault:
        path = f"{SiteName.PRD}/{page}"
        known = ", ".join(list(self._pages)[:8]) or "none"
        missing = ReferenceFault(f"there is no {path}", f"Name a chapter of the PRD: {known}.")
        try:
            content = self._workspace.read(path)
            if content is None:
                return missing
            return PageFacts(page, decode_utf8(content, path)).anchors
        except ExpectedFailure as exc:
            return ReferenceFault(exc.reason, exc.hint)
        except (StorageError, ToolSandboxError, ValueError):
            return missing
