"""The project's bugs in `.devloop/state.db`: every change is one transaction with its event.

Writers queue up behind one another, so that of two who open the same bug at once the second one
finds the first one's.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any, Protocol

import orjson

from devloop_tools.domain.bugs.fingerprint import fingerprints
from devloop_tools.domain.bugs.records import (
    BugMoved,
    BugOpened,
    ChangedFields,
    IllegalStep,
    Report,
    Severity,
    bug_id,
    bug_number,
)
from devloop_tools.domain.bugs.rows import (
    Present,
    evidence_json,
    insert,
    newest_number,
    open_with,
    original_of,
    repeated,
    update,
    with_number,
)
from devloop_tools.domain.bugs.states import FINISHED, STATES, Status
from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.storage.database import Database

KEPT_OCCURRENCES = 100
"""Of each bug, the newest; all are counted."""

_WORST_FIRST = list(Severity)


class EventsWithin(Protocol):
    """Writes events as a part of a change of the same database."""

    def emit_within(
        self,
        transaction: sqlite3.Connection,
        origin: Origin,
        event: EventType,
        data: Mapping[str, Any],
    ) -> None: ...


class BugStore:
    """Opens bugs and moves them on. Raises StorageError where the database can't be written."""

    def __init__(self, origin: Origin, database: Database, events: EventsWithin) -> None:
        self._origin = origin
        self._database = database
        self._events = events

    def open(self, report: Report) -> BugOpened:
        """Open a bug, or add an occurrence to the open one that has the same fingerprint."""
        (digest, earlier), now = fingerprints(report), timestamp()
        with self._database.transaction() as transaction:
            before = repeated(transaction, digest, earlier)
            if before is not None and before.status not in FINISHED:
                return self._seen_again(transaction, before, report, now)
            previous = before.number if before else None
            number = insert(transaction, report, digest, previous, self._origin.agent, now)
            self._keep_step(transaction, number, None, Status.OPEN, "reported", {}, now)
            self._keep_occurrence(transaction, number, report, now)
            opened = BugOpened(
                id=bug_id(number),
                status=Status.OPEN,
                previous=bug_id(previous) if previous else None,
            )
            fact = {"id": opened.id, "status": opened.status, "previous": opened.previous}
            told = {"title", "severity", "unit_id", "category"}
            fact |= report.model_dump(mode="json", include=told)
            self._emit(transaction, EventType.BUG_OPENED, fact)
            return opened

    def move(
        self, name: str, to: Status, reason: str, fields: ChangedFields
    ) -> BugMoved | IllegalStep | Refused:
        """Take one step of the table, and change `fields` with it."""
        now = timestamp()
        with self._database.transaction() as transaction:
            present = with_number(transaction, bug_number(name))
            if present is None:
                return _unknown(transaction, name)
            fault = _illegal(name, present.status, to) or _field_fault(
                transaction, present, to, fields
            )
            if fault:
                return fault
            given = fields.model_dump(mode="json", exclude_none=True)
            update(transaction, present.number, to, given, now)
            self._keep_step(transaction, present.number, present.status, to, reason, given, now)
            step = {"id": name, "status": to, "from": present.status}
            fact = {**step, "reason": reason, "fields": given}
            self._emit(transaction, EventType.BUG_CHANGED, fact)
            return BugMoved(id=name, status=to, legal=list(STATES[to].to))

    def _seen_again(
        self, transaction: sqlite3.Connection, bug: Present, report: Report, now: str
    ) -> BugOpened:
        severity = min(bug.severity, report.severity, key=_WORST_FIRST.index)
        transaction.execute(
            "UPDATE bugs SET occurrences = ?, severity = ?, updated_at = ? WHERE number = ?",
            (bug.occurrences + 1, severity.value, now, bug.number),
        )
        self._keep_occurrence(transaction, bug.number, report, now)
        known = BugOpened(
            id=bug_id(bug.number),
            status=bug.status,
            deduplicated=True,
            occurrences=bug.occurrences + 1,
            previous=bug_id(bug.previous) if bug.previous else None,
        )
        fact = known.model_dump(mode="json", include={"id", "status", "occurrences"})
        self._emit(transaction, EventType.BUG_CHANGED, fact)
        return known

    def _keep_step(
        self,
        transaction: sqlite3.Connection,
        number: int,
        before: Status | None,
        to: Status,
        reason: str,
        fields: Mapping[str, str],
        now: str,
    ) -> None:
        transaction.execute(
            "INSERT INTO bug_steps (number, ts, agent, call_id, session_id, from_status, status,"
            " reason, fields) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, now, *self._who(), before, to, reason, orjson.dumps(fields).decode()),
        )

    def _keep_occurrence(
        self, transaction: sqlite3.Connection, number: int, report: Report, now: str
    ) -> None:
        transaction.execute(
            "INSERT INTO bug_occurrences (number, ts, agent, call_id, session_id, title, severity,"
            " steps, evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, now, *self._who(), report.title, report.severity, report.steps,
             evidence_json(report)),
        )  # fmt: skip
        transaction.execute(
            "DELETE FROM bug_occurrences WHERE number = ? AND id <= (SELECT id FROM bug_occurrences"
            " WHERE number = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (number, number, KEPT_OCCURRENCES),
        )

    def _emit(
        self, transaction: sqlite3.Connection, event: EventType, fact: Mapping[str, Any]
    ) -> None:
        self._events.emit_within(transaction, self._origin, event, fact)

    def _who(self) -> tuple[str, str, str]:
        return self._origin.agent, self._origin.call_id, self._origin.session_id


def _illegal(name: str, status: Status, to: Status) -> IllegalStep | None:
    legal = list(STATES[status].to)
    if to in legal:
        return None
    names = ", ".join(legal)
    return IllegalStep(
        reason=f"to: {name} is {status}; from there it can't become {to}",
        hint=f"Legal now: {names}.",
        status=status,
        legal=legal,
    )


def _field_fault(
    transaction: sqlite3.Connection, bug: Present, to: Status, fields: ChangedFields
) -> Refused | None:
    if (to is Status.DUPLICATE) != (fields.duplicate_of is not None):
        return refused(
            "fields.duplicate_of: it goes with to duplicate, and only with that",
            "Name the bug that this one repeats, or leave it out.",
        )
    if fields.duplicate_of is not None:
        return _duplicate_fault(transaction, bug, fields.duplicate_of)
    same = open_with(transaction, bug.fingerprint) if bug.status in FINISHED else None
    if to in FINISHED or same is None:
        return None
    return refused(
        f"id: {bug_id(bug.number)} can't be reopened: {bug_id(same)} is open for the same failure",
        f"Go on with {bug_id(same)}.",
    )


def _duplicate_fault(transaction: sqlite3.Connection, bug: Present, name: str) -> Refused | None:
    other = with_number(transaction, bug_number(name))
    if other is None:
        return _unknown(transaction, name, "fields.duplicate_of")
    original = original_of(transaction, other)
    if original.number == bug.number:
        return refused(
            f"fields.duplicate_of: {name} is {bug_id(bug.number)} itself, or repeats it",
            "Name the bug that was there before.",
        )
    return None


def _unknown(transaction: sqlite3.Connection, name: str, field: str = "id") -> Refused:
    newest = newest_number(transaction)
    there = f"The newest is {bug_id(newest)}; bug_list shows them." if newest else "There is none."
    return refused(f"{field}: there is no {name}", there)
