"""Pages as they are and as they were: named by path, or by the id that archive_doc gave.

The archive of a site is `{site}/_archive`, with a line a copy in its `manifest.ndjson`: the copy's
`archive_id`, its `path` and the page that it was made of, `source`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from devloop_tools.domain.html.tree import PageTree, read_tree
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

SITES = ("prd", "sdd")
MANIFEST = "_archive/manifest.ndjson"


@dataclass(frozen=True, slots=True)
class Archived:
    """One copy in an archive; `path` is where it lies, `source` what it was made of."""

    archive_id: str
    path: str
    source: str


def archived(workspace: Workspace) -> Iterator[Archived]:
    """All copies of all sites, oldest first in each. Lines of another form are passed over."""
    for site in SITES:
        for line in (workspace.read(f"{site}/{MANIFEST}") or b"").splitlines():
            try:
                entry = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(entry, dict) and (copy := _copy(entry, site)):
                yield copy


def newest_copy(workspace: Workspace, source: str) -> Archived | None:
    """The copy of a page that was made last, or None."""
    copies = [copy for copy in archived(workspace) if copy.source == source]
    return copies[-1] if copies else None


def copy_named(workspace: Workspace, name: str) -> Archived | None:
    """The copy with that archive id, or None."""
    return next((copy for copy in archived(workspace) if name == copy.archive_id), None)


def read_version(workspace: Workspace, name: str) -> tuple[str, bytes]:
    """Path and bytes of the file that a path or archive id names. Raises ExpectedFailure."""
    copy = copy_named(workspace, name)
    path = copy.path if copy else name
    content = workspace.read(path)
    if content is None:
        raise ExpectedFailure(
            f"{name}: there is no such file, and no archive id of that name.",
            "Name a page such as prd/index.html, or the archive_id that archive_doc returned.",
        )
    return path, content


def read_page_version(workspace: Workspace, name: str) -> tuple[str, PageTree]:
    """Path and page that a path or archive id names. Raises ExpectedFailure."""
    path, content = read_version(workspace, name)
    return path, read_tree(content, path)


def before_and_after(workspace: Workspace, before: str, after: str | None) -> tuple[str, str]:
    """The two versions to compare where only one may be named. Raises ExpectedFailure.

    An archived copy is compared with the page as it is now, a page with its newest copy.
    """
    if after is not None:
        return before, after
    if copy := copy_named(workspace, before):
        return before, copy.source
    if newest := newest_copy(workspace, before):
        return newest.archive_id, before
    raise ExpectedFailure(
        f"{before}: nothing to compare it with; no copy of it is in an archive.",
        "Name the other page too, or call archive_doc before the next change.",
    )


def _copy(entry: dict[str, object], site: str) -> Archived | None:
    archive_id, source = entry.get("archive_id"), entry.get("source")
    if not isinstance(archive_id, str) or not isinstance(source, str):
        return None
    path = entry.get("path")
    return Archived(
        archive_id, path if isinstance(path, str) else _inside(site, archive_id), source
    )


def _inside(site: str, archive_id: str) -> str:
    return archive_id if "/" in archive_id else f"{site}/_archive/{archive_id}"
