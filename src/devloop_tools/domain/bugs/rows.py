"""Bugs as rows of `.devloop/state.db`: what the store reads and writes inside a transaction."""

import sqlite3
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from devloop_tools.domain.bugs.records import Report, Severity, bug_id, bug_number
from devloop_tools.domain.bugs.states import FINISHED, Status

_PRESENT = (
    "SELECT number, fingerprint, status, severity, occurrences, duplicate_of, previous FROM bugs"
)


@dataclass(frozen=True, slots=True)
class Present:
    """What the store must know of a bug to change it."""

    number: int
    fingerprint: str
    status: Status
    severity: Severity
    occurrences: int
    duplicate_of: int | None
    previous: int | None


def with_number(transaction: sqlite3.Connection, number: int) -> Present | None:
    """The bug with this number."""
    return _one(transaction, f"{_PRESENT} WHERE number = ?", number)


def repeated(transaction: sqlite3.Connection, fingerprint: str, earlier: str) -> Present | None:
    """The bug that a report with this fingerprint repeats: an open one before a finished one.

    One that was stored under the `earlier` fingerprint is found too, and stored under this one from
    here on. Where the bug was found to be a duplicate, it is the bug that it repeats.
    """
    found = _one(
        transaction,
        f"{_PRESENT} WHERE fingerprint IN (?, ?)"
        " ORDER BY finished, fingerprint = ? DESC, number DESC LIMIT 1",
        fingerprint,
        earlier,
        fingerprint,
    )
    if found is None:
        return None
    if found.fingerprint != fingerprint:
        transaction.execute(
            "UPDATE bugs SET fingerprint = ? WHERE fingerprint = ?", (fingerprint, earlier)
        )
    return original_of(transaction, found)


def original_of(transaction: sqlite3.Connection, bug: Present) -> Present:
    """The bug at the end of the duplicates: none of them goes in a circle."""
    while bug.duplicate_of is not None:
        following = with_number(transaction, bug.duplicate_of)
        if following is None:
            return bug
        bug = following
    return bug


def open_with(transaction: sqlite3.Connection, fingerprint: str) -> int | None:
    """The number of the unfinished bug with this fingerprint; there is one at most."""
    found = _one(transaction, f"{_PRESENT} WHERE fingerprint = ? AND finished = 0", fingerprint)
    return found.number if found else None


def newest_number(transaction: sqlite3.Connection) -> int:
    """The highest number, 0 if there is no bug."""
    [newest] = transaction.execute("SELECT coalesce(max(number), 0) FROM bugs").fetchone()
    return int(newest)


def insert(
    transaction: sqlite3.Connection,
    report: Report,
    fingerprint: str,
    previous: int | None,
    agent: str,
    now: str,
) -> int:
    """Write a new bug; its number."""
    values = report.model_dump(mode="json", exclude={"evidence"}) | {
        "evidence": evidence_json(report),
        "fingerprint": fingerprint,
        "status": Status.OPEN.value,
        "finished": 0,
        "occurrences": 1,
        "previous": previous,
        "opened_by": agent,
        "opened_at": now,
        "updated_at": now,
        "searched": "",
    }
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    cursor = transaction.execute(
        f"INSERT INTO bugs ({columns}) VALUES ({places}) RETURNING number", tuple(values.values())
    )
    number = int(cursor.fetchone()[0])
    searched = _searched(bug_id(number), report)
    transaction.execute("UPDATE bugs SET searched = ? WHERE number = ?", (searched, number))
    return number


def update(
    transaction: sqlite3.Connection, number: int, to: Status, given: Mapping[str, str], now: str
) -> None:
    """Write where the bug stands and what changed with it."""
    name = given.get("duplicate_of")
    values: dict[str, object] = {
        **given,
        "status": to.value,
        "finished": int(to in FINISHED),
        "duplicate_of": bug_number(name) if name else None,
        "updated_at": now,
    }
    changes = ", ".join(f"{column} = ?" for column in values)
    transaction.execute(f"UPDATE bugs SET {changes} WHERE number = ?", (*values.values(), number))


def evidence_json(report: Report) -> str:
    """The evidence as a row keeps it."""
    return orjson.dumps([item.model_dump() for item in report.evidence]).decode()


def folded(text: str) -> str:
    """The text as searches compare it: without case, in one Unicode form."""
    return unicodedata.normalize("NFKC", text).casefold()


def _searched(name: str, report: Report) -> str:
    quotes = (f"{item.path} {item.quote}" for item in report.evidence)
    texts = (name, report.title, report.expected, report.actual, report.steps or "", *quotes)
    return folded("\n".join(texts))


def _one(transaction: sqlite3.Connection, sql: str, *values: object) -> Present | None:
    row = transaction.execute(sql, values).fetchone()
    if row is None:
        return None
    number, fingerprint, status, severity, *counts = row
    return Present(number, fingerprint, Status(status), Severity(severity), *counts)
