"""Makes sites and keeps what tools write of themselves up to date; people's pages stay theirs.

One lock, that of `site.json`, guards a whole site.
"""

import contextlib
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.documents.archive import Archive
from devloop_tools.domain.documents.plan_notes import notes_on
from devloop_tools.domain.documents.site import (
    INDEX_PAGE,
    MAX_CHAPTERS,
    UNITS_FOLDER,
    Chapter,
    DocId,
    Emitter,
    SiteFile,
    SiteName,
    digest,
    language_of,
    repeated_id,
)
from devloop_tools.domain.documents.site_shell import (
    SHELL_ASSETS,
    SITE_DATA,
    index_html,
    page_html,
    shell_asset,
    site_data,
    unwritten_body,
)
from devloop_tools.domain.documents.units import UNITS_FILE, Unit, Units, units_in
from devloop_tools.domain.events import EventType
from devloop_tools.domain.json_files import load, save
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.workspace import Workspace

_TO_CHANGE_CHAPTERS = "write_chapter changes a title, overwrite all of it."
_TO_CHANGE_UNITS = "change it in that file."


class PlannedChapter(BaseModel):
    """A chapter as an agent plans it. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: DocId = Field(description="Names the chapter's file: {id}.html.")
    title: str = Field(min_length=1, max_length=200, description="What a person reads.")
    group: str | None = Field(
        default=None, max_length=100, description="The group it stands in; keep groups together."
    )
    summary: str | None = Field(
        default=None, max_length=500, description="What is in it, in a sentence."
    )


class PlannedUnit(BaseModel):
    """A unit as an agent plans it. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: DocId = Field(description="Names the unit everywhere.")
    title: str = Field(min_length=1, max_length=200, description="What a person reads.")
    kind: str = Field(
        min_length=1, max_length=64, description="What sort of unit.", examples=["backend"]
    )
    depends_on: list[DocId] = Field(
        default_factory=list, max_length=100, description="Ids of units that it calls."
    )
    prd_refs: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default_factory=list,
        max_length=100,
        description="What it is for: chapters of the PRD, with an anchor if you have one.",
        examples=[["login#流程"]],
    )


class SiteMade(Done):
    """`created` and `updated` are what this call wrote; `kept` what somebody else had written.

    `notes` tell what of the plan is otherwise in the site, and stayed so.
    """

    path: str
    created: list[str]
    updated: list[str]
    kept: list[str]
    notes: list[str] = Field(default_factory=list)


class OpenSite:
    """A site whose lock is held."""

    def __init__(
        self, workspace: Workspace, name: SiteName, file: ProjectFile, archive: Archive
    ) -> None:
        self._workspace = workspace
        self._archive = archive
        self._file = file
        self.name = name
        self.site = load(file, SiteFile)
        self.created: list[str] = []
        self.updated: list[str] = []
        self.kept: list[str] = []

    def page(self, path: str) -> ProjectFile:
        """A file of the site, by its path in it."""
        return self._workspace.beside(f"{self.name}/{path}")

    def keep_up(self, path: str, content: bytes, *, overwrite: bool = False) -> None:
        """Write a file of our own, unless somebody else has written it since."""
        assert self.site is not None
        file = self.page(path)
        present, wanted = file.read(), digest(content)
        known = self.site.generated.get(path)
        if present is not None and digest(present) != wanted:
            if digest(present) != known and not overwrite:
                self.kept.append(file.path)
                return
            if digest(present) != known and path.endswith(".html"):
                self._archive.keep_content(self.name, path, present, "overwritten by bootstrap")
            self.updated.append(file.path)
        elif present is None:
            self.created.append(file.path)
        if present is None or digest(present) != wanted:
            file.replace(content)
        if known != wanted:
            generated = {**self.site.generated, path: wanted}
            self.site = self.site.model_copy(update={"generated": generated})

    def keep_shell(self, *, overwrite: bool = False) -> None:
        """The shell's files and the index page, as they should be for the site as it stands."""
        assert self.site is not None
        for path in SHELL_ASSETS:
            self.keep_up(path, shell_asset(path), overwrite=overwrite)
        self.keep_up(SITE_DATA, site_data(self.site), overwrite=True)
        self.keep_up(INDEX_PAGE, index_html(self.site).encode(), overwrite=overwrite)

    def save(self) -> None:
        """Write `site.json` if it changed."""
        assert self.site is not None
        if self.site != load(self._file, SiteFile):
            (self.updated if self._file.exists() else self.created).append(self._file.path)
            save(self._file, self.site)


class SiteStore:
    """Reads and writes `prd/` and `sdd/`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    @contextlib.contextmanager
    def opened(self, name: SiteName) -> Iterator[OpenSite]:
        """The site, alone over all processes."""
        archive = Archive(self._workspace, self._origin, self._events)
        with self._workspace.locked(f"{name}/site.json") as file:
            yield OpenSite(self._workspace, name, file, archive)

    def bootstrap_prd(
        self,
        title: str,
        chapters: Sequence[PlannedChapter],
        *,
        language: str | None,
        overwrite: bool,
    ) -> SiteMade | Refused:
        """Make `prd/`, or add to it what is missing."""
        if fault := repeated_id([chapter.id for chapter in chapters], "chapters"):
            return fault
        planned = [Chapter(**chapter.model_dump()) for chapter in chapters]
        texts = (title, *(chapter.title for chapter in chapters))
        with self.opened(SiteName.PRD) as site:
            there = {chapter.id: chapter for chapter in site.site.chapters} if site.site else {}
            made = self._make(
                site, title, planned, language or language_of(*texts), overwrite=overwrite
            )
            if isinstance(made, SiteMade) and not overwrite:
                made.notes.extend(notes_on(chapters, there, "prd/site.json", _TO_CHANGE_CHAPTERS))
            return made

    def bootstrap_sdd(
        self, title: str, units: Sequence[PlannedUnit], *, language: str | None
    ) -> SiteMade | Refused:
        """Make `sdd/` with `units.json` and a page a unit, or add to it what is missing."""
        if fault := repeated_id([unit.id for unit in units], "units"):
            return fault
        planned = [
            Chapter(
                id=unit.id,
                title=unit.title,
                group=unit.kind,
                path=f"{UNITS_FOLDER}/{unit.id}.html",
            )
            for unit in units
        ]
        texts = (title, *(unit.title for unit in units))
        with self.opened(SiteName.SDD) as site:
            file = self._workspace.beside(UNITS_FILE)
            content = file.read()
            present = units_in(content, file.path) if content is not None else None
            merged = _merged_units(present or Units(title=title), units)
            if fault := _graph_fault(merged):
                return fault
            made = self._make(
                site, title, planned, language or language_of(*texts), overwrite=False
            )
            if isinstance(made, SiteMade) and merged != present:
                save(file, merged)
                (made.updated if present else made.created).append(file.path)
            if isinstance(made, SiteMade) and present:
                made.notes.extend(notes_on(units, present.by_id(), file.path, _TO_CHANGE_UNITS))
            return made

    def _make(
        self, site: OpenSite, title: str, planned: list[Chapter], language: str, *, overwrite: bool
    ) -> SiteMade | Refused:
        wanted = SiteFile(site=site.name, title=title, language=language)
        chapters = _merged(site.site.chapters if site.site else [], planned, overwrite=overwrite)
        if len(chapters) > MAX_CHAPTERS:
            return refused(f"chapters: more than {MAX_CHAPTERS}", "Put several into one chapter.")
        if fault := repeated_id([chapter.id for chapter in chapters], "chapters"):
            return fault
        base = site.site or wanted
        if overwrite:
            base = base.model_copy(update={"title": title, "language": language})
        site.site = base.model_copy(update={"chapters": chapters})
        ids = {chapter.id for chapter in planned}
        for chapter in chapters:
            body = page_html(site.site, chapter, unwritten_body(site.site)).encode()
            site.keep_up(chapter.page, body, overwrite=overwrite and chapter.id in ids)
        site.keep_shell(overwrite=overwrite)
        site.save()
        for path in (*site.created, *site.updated):
            self._written(site.name, path)
        return SiteMade(
            path=f"{site.name}/{INDEX_PAGE}",
            created=site.created,
            updated=site.updated,
            kept=site.kept,
        )

    def _written(self, name: SiteName, path: str) -> None:
        if not path.endswith(".html"):
            return
        content = self._workspace.beside(path).read() or b""
        fact = {"site": name.value, "path": path, "hash": digest(content)}
        self._events.emit(self._origin, EventType.DOC_WRITTEN, fact)


def _merged(present: list[Chapter], planned: list[Chapter], *, overwrite: bool) -> list[Chapter]:
    """What there is, in its order, each new chapter behind the one that it follows in the plan."""
    if overwrite:
        ids = {chapter.id for chapter in planned}
        added = {chapter.id: chapter.model_extra for chapter in present}
        first = [Chapter(**{**(added.get(one.id) or {}), **dict(one)}) for one in planned]
        return [*first, *(chapter for chapter in present if chapter.id not in ids)]
    merged = list(present)
    place = 0
    for chapter in planned:
        known = next((i for i, old in enumerate(merged) if old.id == chapter.id), None)
        if known is not None:
            place = known + 1
            continue
        merged.insert(place, chapter)
        place += 1
    return merged


def _merged_units(present: Units, planned: Sequence[PlannedUnit]) -> Units:
    known = {unit.id for unit in present.units}
    new = [Unit(**unit.model_dump()) for unit in planned if unit.id not in known]
    return present.model_copy(update={"units": [*present.units, *new]})


def _graph_fault(file: Units) -> Refused | None:
    ids = {unit.id for unit in file.units}
    for unit in file.units:
        if unknown := [need for need in unit.depends_on if need not in ids]:
            return refused(
                f"units: {unit.id} depends on {', '.join(unknown)}, which is no unit",
                "Add the missing unit, or take it out of depends_on.",
            )
    try:
        TopologicalSorter({unit.id: unit.depends_on for unit in file.units}).prepare()
    except CycleError as exc:
        return refused(
            f"units: depends_on goes in a circle: {' → '.join(exc.args[1])}",
            "Take one of these dependencies out.",
        )
    return None
