"""What changed between two states of a design: its units, and what their contracts promise.

`units.json` names each contract by its hash. The contract itself is in the unit's page beside that
file, or, if the page has changed since, in an archived copy of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.contracts.changes import ContractChange, contract_changes
from devloop_tools.domain.contracts.contract import contract_in, hash_of
from devloop_tools.domain.documents.page_versions import archived, before_and_after, read_version
from devloop_tools.domain.documents.units import UNITS_FILE, Unit, Units, units_in
from devloop_tools.domain.outcome import Done
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_COPIES = 50
"""Newest copies of a page in which a contract is looked for."""

_COMPARED = ("title", "kind", "depends_on", "prd_refs")


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)


class Renamed(_Shown):
    old: str
    new: str


class UnitChange(_Shown):
    """A unit whose entry changed: each field as `name: old → new`."""

    unit_id: str
    fields: list[str]


class ContractDiff(_Shown):
    """`breaking` is null where a contract could not be found; `callers` depend on the unit."""

    unit_id: str
    old_hash: str | None
    new_hash: str | None
    breaking: bool | None
    callers: list[str]
    changes: list[ContractChange] = Field(default_factory=list)


class UnitsDiff(Done):
    """`breaking`: some caller is broken, by a contract or because a unit that it needs is gone."""

    before: str
    after: str
    same: bool
    breaking: bool
    added: list[str]
    removed: list[str]
    renamed: list[Renamed]
    changed: list[UnitChange]
    contracts: list[ContractDiff]
    notes: list[str]


def diff_units_between(workspace: Workspace, before: str | None, after: str | None) -> UnitsDiff:
    """The differences of two states by path or archive id. Raises ExpectedFailure."""
    if before is None:
        before, after = before_and_after(workspace, after or UNITS_FILE, None)
    old = _State.read(workspace, before)
    new = _State.read(workspace, after or UNITS_FILE)
    return _Comparison(old, new).result()


@dataclass(frozen=True)
class _State:
    """One `units.json`, and the way to the contracts that it names."""

    workspace: Workspace
    path: str
    units: Units
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, workspace: Workspace, name: str) -> "_State":
        path, content = read_version(workspace, name)
        return cls(workspace, path, units_in(content, path))

    def contract(self, unit: Unit) -> dict[str, Any] | None:
        """The contract with the hash that the unit names, or None, with a note, if it is lost."""
        if unit.contract_hash is None:
            return None
        for path in self._pages(unit.id):
            if (raw := self._read(path)) and hash_of(raw, path).hash == unit.contract_hash:
                return raw
        self.notes.append(
            f"{unit.id}: the contract {unit.contract_hash[:19]}… of {self.path} is in no page and"
            " no archived copy"
        )
        return None

    def _pages(self, unit_id: str) -> Iterator[str]:
        folder = self.path.rpartition("/")[0].removesuffix("/_archive")
        page = f"{folder}/units/{unit_id}.html".lstrip("/")
        yield page
        copies = [copy.path for copy in archived(self.workspace) if copy.source == page]
        yield from copies[: -MAX_COPIES - 1 : -1]

    def _read(self, path: str) -> dict[str, Any] | None:
        content = self.workspace.read(path)
        if content is None:
            return None
        try:
            raw = contract_in(content, path)
            hash_of(raw, path)
        except ExpectedFailure as exc:
            self.notes.append(exc.reason)
            return None
        return raw


class _Comparison:
    def __init__(self, old: _State, new: _State) -> None:
        self._old, self._new = old, new
        self._before, self._after = old.units.by_id(), new.units.by_id()

    def result(self) -> UnitsDiff:
        removed = [unit_id for unit_id in self._before if unit_id not in self._after]
        added = [unit_id for unit_id in self._after if unit_id not in self._before]
        renamed = self._renamed(removed, added)
        kept = {unit_id: unit_id for unit_id in self._before if unit_id in self._after} | renamed
        changed = [change for pair in kept.items() if (change := self._unit(*pair))]
        contracts = [found for pair in kept.items() if (found := self._contract(*pair))]
        gone = [unit_id for unit_id in removed if unit_id not in renamed]
        come = [unit_id for unit_id in added if unit_id not in renamed.values()]
        missed = [unit_id for unit_id in gone if self._old.units.callers_of(unit_id)]
        return UnitsDiff(
            before=self._old.path,
            after=self._new.path,
            same=not (gone or come or renamed or changed or contracts),
            breaking=bool(missed or renamed or any(contract.breaking for contract in contracts)),
            added=come,
            removed=gone,
            renamed=[Renamed(old=was, new=now) for was, now in renamed.items()],
            changed=changed,
            contracts=contracts,
            notes=list(dict.fromkeys([*self._old.notes, *self._new.notes])),
        )

    def _renamed(self, removed: list[str], added: list[str]) -> dict[str, str]:
        """Units that are gone and came under another id: one contract, or one title and kind."""
        pairs: dict[str, str] = {}
        for was in removed:
            matches = [
                now
                for now in added
                if now not in pairs.values() and self._is_one(self._before[was], self._after[now])
            ]
            if len(matches) == 1:
                pairs[was] = matches[0]
        return pairs

    def _is_one(self, was: Unit, now: Unit) -> bool:
        if was.title and (was.title, was.kind) == (now.title, now.kind):
            return True
        if was.contract_hash is None or now.contract_hash is None:
            return False
        return was.contract_hash == now.contract_hash or self._promise_the_same(was, now)

    def _promise_the_same(self, was: Unit, now: Unit) -> bool:
        old, new = self._old.contract(was), self._new.contract(now)
        if old is None or new is None:
            return False
        return {**old, "unit": ""} == {**new, "unit": ""} and len(old) > 2

    def _unit(self, was: str, now: str) -> UnitChange | None:
        old, new = self._before[was], self._after[now]
        fields = [
            f"{name}: {_shown(getattr(old, name))} → {_shown(getattr(new, name))}"
            for name in _COMPARED
            if getattr(old, name) != getattr(new, name)
        ]
        return UnitChange(unit_id=now, fields=fields) if fields else None

    def _contract(self, was: str, now: str) -> ContractDiff | None:
        old, new = self._before[was], self._after[now]
        if old.contract_hash == new.contract_hash:
            return None
        changes: list[ContractChange] = []
        breaking: bool | None = None
        if old.contract_hash is None:
            breaking = False
        elif new.contract_hash is None:
            breaking = True
        elif (before := self._old.contract(old)) and (after := self._new.contract(new)):
            changes = contract_changes(before, after)
            breaking = any(change.breaking for change in changes)
        return ContractDiff(
            unit_id=now,
            old_hash=old.contract_hash,
            new_hash=new.contract_hash,
            breaking=breaking,
            callers=self._new.units.callers_of(now),
            changes=changes,
        )


def _shown(value: str | list[str]) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return value or "none"
