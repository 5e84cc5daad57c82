"""Writes the page of a unit: its contract, for people and for programs, and how it is built.

The page has five sections that tools write, by id: contract, model, view, controller and
persistence. Whatever else somebody wrote into it stays as it is, byte for byte.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from devloop_tools.domain.contracts.changes import ContractChange, contract_changes
from devloop_tools.domain.contracts.contract import (
    CONTRACT_ELEMENT,
    MAX_CONTRACT_BYTES,
    contract_in,
    hash_of,
    parse_contract,
)
from devloop_tools.domain.contracts.faults import contract_faults
from devloop_tools.domain.contracts.tables import contract_html
from devloop_tools.domain.documents.contract_element import contract_places, embedded
from devloop_tools.domain.documents.section_writing import (
    behind_heading,
    section_named,
    with_section,
)
from devloop_tools.domain.documents.site import UNITS_FOLDER, Chapter, Emitter, SiteName, digest
from devloop_tools.domain.documents.site_shell import page_html
from devloop_tools.domain.documents.site_store import OpenSite, SiteStore
from devloop_tools.domain.documents.units import UNITS_FILE, Unit, Units, units_in
from devloop_tools.domain.events import EventType
from devloop_tools.domain.html.from_markdown import markdown_to_html
from devloop_tools.domain.html.markup import decode_utf8, tokens
from devloop_tools.domain.html.outline import (
    PageOutline,
    Section,
    Span,
    read_outline,
    splice,
    with_newlines,
)
from devloop_tools.domain.html.sanitising import sanitised
from devloop_tools.domain.json_files import save
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

SECTIONS = ("contract", "model", "view", "controller", "persistence")
_TITLES = {
    "zh": dict(zip(SECTIONS, ("契约", "模型", "视图", "控制器", "持久化"), strict=True)),
    "en": {name: name.capitalize() for name in SECTIONS},
}
MAX_FAULTS = 20
_MARKUP = re.compile(
    r"<(section|div|p|h[1-6]|ul|ol|dl|table|pre|figure|blockquote|details|article|svg|hr)[\s>/]",
    re.IGNORECASE,
)


class MvcpPageWritten(Done):
    """`changes` are those against the contract that the page had, `breaking` if any of them is."""

    path: str
    hash: str
    contract_hash: str
    breaking: bool
    changes: list[ContractChange]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """What is to be written; `texts` has those of the sections that are given."""

    unit_id: str
    contract: dict[str, Any]
    texts: Mapping[str, str]


class MvcpPageStore:
    """Writes the pages below `sdd/units/` and the hashes in `sdd/units.json`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._sites = SiteStore(workspace, origin, events)
        self._origin = origin
        self._events = events

    def write(self, draft: UnitDraft) -> MvcpPageWritten | Refused:
        """Write the sections that the draft gives, and the contract's hash."""
        contract_hash = hash_of(draft.contract).hash
        warnings: list[str] = []
        clean = {}
        for name, text in draft.texts.items():
            clean[name], went = sanitised(_as_html(text, name), name)
            warnings += [f"{name}: {line}" for line in went]
        with self._sites.opened(SiteName.SDD) as site:
            file = site.page("units.json")
            content = file.read()
            if content is None or site.site is None:
                return refused("sdd: there is no site", "Call bootstrap_sdd_site first.")
            units = units_in(content, UNITS_FILE)
            unit = units.by_id().get(draft.unit_id)
            if fault := _fault(draft, unit, units):
                return fault
            assert unit is not None
            written = _Writing(site, unit, draft.contract, contract_hash).written(clean)
            if isinstance(written, Refused):
                return written
            if unit.contract_hash != contract_hash:
                save(file, _with_hash(units, unit, contract_hash))
        self._tell(unit, written, contract_hash)
        return MvcpPageWritten(
            path=written.path,
            hash=digest(written.content),
            contract_hash=contract_hash,
            breaking=any(change.breaking for change in written.changes),
            changes=written.changes,
            warnings=[*warnings, *written.warnings],
        )

    def _tell(self, unit: Unit, written: "_Written", contract_hash: str) -> None:
        if written.content != written.before:
            fact = {"site": "sdd", "path": written.path, "hash": digest(written.content)}
            self._events.emit(self._origin, EventType.DOC_WRITTEN, fact)
        if unit.contract_hash != contract_hash or written.changes:
            breaking = any(change.breaking for change in written.changes)
            change = {"unit_id": unit.id, "hash": contract_hash, "breaking": breaking}
            self._events.emit(self._origin, EventType.CONTRACT_CHANGED, change)


@dataclass(frozen=True, slots=True)
class _Written:
    path: str
    before: bytes | None
    content: bytes
    changes: list[ContractChange]
    warnings: list[str]


class _Writing:
    """One page on its way from what it was to what it will be."""

    def __init__(
        self, site: OpenSite, unit: Unit, contract: dict[str, Any], contract_hash: str
    ) -> None:
        assert site.site is not None
        self._site = site
        self._unit = unit
        self._contract = contract
        self._hash = contract_hash
        self._language = site.site.language
        self._titles = _TITLES["zh" if self._language.startswith("zh") else "en"]
        self._chapter = site.site.chapter(unit.id) or Chapter(
            id=unit.id, title=unit.title, path=f"{UNITS_FOLDER}/{unit.id}.html"
        )
        self._file = site.page(self._chapter.page)
        self._warnings: list[str] = []

    def written(self, clean: Mapping[str, str]) -> _Written | Refused:
        present = self._file.read()
        changes = self._changes(present)
        source = self._start(present)
        for name in SECTIONS[1:]:
            if name in clean:
                page = read_outline(source, self._file.path)
                changed = self._with(page, name, clean[name])
                if isinstance(changed, Refused):
                    return changed
                source = changed
        changed = self._with_contract(read_outline(source, self._file.path))
        if isinstance(changed, Refused):
            return changed
        content = changed.encode()
        if fault := self._unreadable(content):
            return fault
        if content != present:
            self._file.replace(content)
        return _Written(self._file.path, present, content, changes, self._warnings)

    def _start(self, present: bytes | None) -> str:
        """The page to change: as it is, or empty where nobody has written it."""
        assert self._site.site is not None
        known = self._site.site.generated.get(self._chapter.page)
        if present is None or digest(present) == known:
            return page_html(self._site.site, self._chapter, "")
        return decode_utf8(present, self._file.path)

    def _changes(self, present: bytes | None) -> list[ContractChange]:
        if present is None:
            return []
        try:
            before = contract_in(present, self._file.path)
            return contract_changes(before, self._contract)
        except ExpectedFailure as exc:
            if self._unit.contract_hash is None:
                return []
            what = f"the contract before can't be compared: {exc.reason}"
            return [ContractChange(where="contract", what=what, breaking=True)]

    def _with(self, page: PageOutline, name: str, clean: str) -> str | Refused:
        return with_section(page, self._file.path, name, self._titles[name], clean, SECTIONS)

    def _with_contract(self, page: PageOutline) -> str | Refused:
        clean = contract_html(
            parse_contract(self._contract, "contract"), self._hash, self._language
        )
        section = section_named(page, "contract")
        if section is not None and not _has_heading(page, section):
            clean = f"<h2>{self._titles['contract']}</h2>\n{clean}"
        changed = self._with(page, "contract", clean)
        if isinstance(changed, Refused):
            return changed
        text = f"\n{embedded(self._contract)}\n"
        page = read_outline(changed, self._file.path)
        places = contract_places(tokens(page.source))
        if places:
            if len(places) > 1:
                self._warnings.append(f"script#{CONTRACT_ELEMENT} is there more than once")
            return splice(page.source, [(places[0], with_newlines(text, page.newline))])
        section = section_named(page, "contract")
        assert section is not None
        inside = section.content.of(page.source)
        at = section.content.start + len(inside.rstrip())
        script = f'\n<script type="application/json" id="{CONTRACT_ELEMENT}">{text}</script>'
        return splice(page.source, [(Span(at, at), with_newlines(script, page.newline))])

    def _unreadable(self, content: bytes) -> Refused | None:
        """A refusal where the page would not give the contract back, whatever hides it there."""
        try:
            found = contract_in(content, self._file.path)
            if hash_of(found).hash == self._hash:
                return None
            fault = "another contract stands before it"
        except ExpectedFailure as exc:
            fault = exc.reason
        return refused(
            f"{self._file.path}: the contract could not be read back from it: {fault}",
            "Close the tags and comments around its sections; validate_sdd_consistency finds them.",
        )


def _has_heading(page: PageOutline, section: Section) -> bool:
    heading = section.heading
    is_title = heading is not None and heading.name in ("h1", "h2")
    return is_title and behind_heading(page, section) is not None


def _fault(draft: UnitDraft, unit: Unit | None, units: Units) -> Refused | None:
    known = units.by_id()
    if unit is None:
        close = get_close_matches(draft.unit_id, known, n=3, cutoff=0.6) or list(known)[:20]
        return refused(
            f"unit_id: sdd/units.json has no unit {draft.unit_id}",
            f"Add it with bootstrap_sdd_site, or use one of these: {', '.join(close) or 'none'}.",
        )
    if draft.contract["unit"] != unit.id:
        return refused(
            f"contract.unit: it is {draft.contract['unit']}, the page is of {unit.id}",
            "Write the unit's own id into its contract.",
        )
    if len(embedded(draft.contract)) > MAX_CONTRACT_BYTES:
        return refused(
            f"contract: more than {MAX_CONTRACT_BYTES} characters of JSON", "Split the unit."
        )
    faults = list(contract_faults(draft.contract, known))
    if not faults:
        return None
    lines = [f"{fault.code}: {fault.message}" for fault in faults[:MAX_FAULTS]]
    fixes = dict.fromkeys(fault.fix for fault in faults[:MAX_FAULTS])
    return refused("contract: " + "; ".join(lines), " ".join(fixes))


def _with_hash(units: Units, unit: Unit, contract_hash: str) -> Units:
    changed = unit.model_copy(update={"contract_hash": contract_hash})
    kept = [changed if other.id == unit.id else other for other in units.units]
    return units.model_copy(update={"units": kept})


def _as_html(text: str, field: str) -> str:
    stripped = text.strip()
    if _MARKUP.match(stripped) and stripped.endswith(">"):
        return text
    return markdown_to_html(text, field)
