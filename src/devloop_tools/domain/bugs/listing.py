"""Reads bugs: filtered and paged, newest first, or one with all that is known of it."""

from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.bugs.records import (
    Bug,
    Category,
    Occurrence,
    Severity,
    Step,
    bug_id,
    bug_number,
)
from devloop_tools.domain.bugs.rows import folded
from devloop_tools.domain.bugs.states import STATES, Status
from devloop_tools.domain.outcome import Done
from devloop_tools.storage.database import Database

MAX_WORDS = 12
_SHOWN = 300
"""Characters of each text in a list of several."""

_COLUMNS = tuple(name for name in Bug.model_fields if name != "id")
_SELECT = f"SELECT number, {', '.join(_COLUMNS)} FROM bugs"


class Filter(BaseModel):
    """Which bugs are wanted; what is None is not asked."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str | None = None
    status: Status | None = None
    unit_id: str | None = None
    severity: Severity | None = None
    category: Category | None = None
    text: str | None = None


class ListedBug(Bug):
    """A bug of a list. Its life (`history`, `seen`) comes when it was asked for by its id."""

    legal: list[str]
    history: list[Step] = Field(default_factory=list)
    seen: list[Occurrence] = Field(default_factory=list)


class BugsListed(Done):
    """`total` bugs fit; `next_cursor` reads on behind the last one of these."""

    bugs: list[ListedBug]
    total: int
    next_cursor: str | None = None


class BugShelf:
    """Reads the bugs of one project. Raises StorageError where the database can't be read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wanted: Filter, *, limit: int, cursor: str | None = None) -> BugsListed:
        """Those that fit, newest first, from behind the bug `cursor`.

        Bugs that are opened meanwhile come before the first page and shift nothing.
        """
        if not self._database.is_there():
            return BugsListed(bugs=[], total=0)
        where, values = _conditions(wanted)
        [(total,)] = self._database.rows(f"SELECT count(*) FROM bugs{where}", values)
        if cursor is not None:
            where += (" AND" if where else " WHERE") + " number < ?"
            values = (*values, bug_number(cursor))
        sql = f"{_SELECT}{where} ORDER BY number DESC LIMIT ?"
        rows = self._database.rows(sql, (*values, limit + 1))
        bugs = [_bug(row) for row in rows[:limit]]
        return BugsListed(
            bugs=[self._with_life(bug) if wanted.id else _shortened(bug) for bug in bugs],
            total=int(str(total)),
            next_cursor=bugs[-1].id if len(rows) > limit else None,
        )

    def find(self, name: str) -> Bug | None:
        """The bug with this id."""
        found = self._read("WHERE number = ?", bug_number(name))
        return found[0] if found else None

    def newest(self, most: int) -> list[Bug]:
        """At most so many bugs, newest first, whatever their status."""
        return self._read("ORDER BY number DESC LIMIT ?", most)

    def _read(self, which: str, value: int) -> list[Bug]:
        if not self._database.is_there():
            return []
        return [_bug(row) for row in self._database.rows(f"{_SELECT} {which}", (value,))]

    def _with_life(self, bug: Bug) -> ListedBug:
        number = (bug_number(bug.id),)
        steps = self._database.rows(
            "SELECT ts, agent, from_status, status, reason, fields FROM bug_steps"
            " WHERE number = ? ORDER BY id",
            number,
        )
        seen = self._database.rows(
            "SELECT ts, agent, title, severity, steps, evidence FROM bug_occurrences"
            " WHERE number = ? ORDER BY id DESC",
            number,
        )
        return _listed(bug, history=[_step(row) for row in steps],
                       seen=[_occurrence(row) for row in seen])  # fmt: skip


def _conditions(wanted: Filter) -> tuple[str, tuple[object, ...]]:
    conditions: list[str] = []
    values: list[object] = []
    if wanted.id is not None:
        conditions.append("number = ?")
        values.append(bug_number(wanted.id))
    for column in ("status", "unit_id", "severity", "category"):
        if (value := getattr(wanted, column)) is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    for word in folded(wanted.text or "").split()[:MAX_WORDS]:
        conditions.append("searched LIKE ? ESCAPE '~'")
        values.append(f"%{_literal(word)}%")
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), tuple(values)


def _literal(word: str) -> str:
    """`word` in a LIKE pattern, where it stands for itself."""
    return word.replace("~", "~~").replace("%", "~%").replace("_", "~_")


def _bug(row: Sequence[Any]) -> Bug:
    columns = dict(zip(_COLUMNS, row[1:], strict=True))
    for link in ("duplicate_of", "previous"):
        columns[link] = bug_id(columns[link]) if columns[link] is not None else None
    return Bug(id=bug_id(row[0]), **{**columns, "evidence": orjson.loads(columns["evidence"])})


def _step(row: Sequence[Any]) -> Step:
    ts, agent, before, to, reason, fields = row
    return Step(ts=ts, agent=agent, from_status=before, to=to, reason=reason,
                fields=orjson.loads(fields))  # fmt: skip


def _occurrence(row: Sequence[Any]) -> Occurrence:
    ts, agent, title, severity, steps, evidence = row
    places = [f"{item['path']}:{item['line']}" for item in orjson.loads(evidence)]
    return Occurrence(
        ts=ts, agent=agent, title=title, severity=severity, steps=steps, places=places
    )


def _shortened(bug: Bug) -> ListedBug:
    cut = {
        name: text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        for name in ("expected", "actual", "steps")
        if (text := getattr(bug, name)) is not None
    }
    return _listed(bug.model_copy(update=cut | {"evidence": bug.evidence[:3]}))


def _listed(bug: Bug, history: Sequence[Step] = (), seen: Sequence[Occurrence] = ()) -> ListedBug:
    return ListedBug(
        **dict(bug), legal=list(STATES[bug.status].to), history=list(history), seen=list(seen)
    )
