"""The project's event log: what a screen needs to follow the work, in `.devloop/state.db`."""

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import orjson

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.masking import masked_text
from devloop_tools.domain.origin import Origin
from devloop_tools.frozen import frozen
from devloop_tools.storage.database import Database

MAX_SUBJECT = 300
"""So much is kept of what a call was about."""

MAX_READ = 1000
"""Most events that one read returns."""


class EventType(StrEnum):
    """Every type that is emitted; the member's comment is its `data`."""

    TODO_LIST = "agent.todolist"  # {items}
    TODO_ITEM = "agent.todo_item"  # {item, current, progress_pct}
    RUNTIME_STATE = "agent.runtime_state"  # {version, patch}
    TIMELINE_APPENDED = "timeline.appended"  # {seq, event, level, summary}
    MEMORY_RECORDED = "memory.recorded"  # {id, topic, path}
    DOC_WRITTEN = "doc.written"  # {site, path, hash}
    DOC_ARCHIVED = "doc.archived"  # {site, path, archive_id, reason}
    DOC_ECHO = "doc.echo"  # {path, markdown}
    CONTRACT_CHANGED = "contract.changed"  # {unit_id, hash, breaking}
    BUG_OPENED = "bug.opened"  # {id, title, severity, status, unit_id, category, previous}
    BUG_CHANGED = "bug.changed"  # {id, status, from, reason, fields}, or {id, status, occurrences}
    TRIAGE_DECIDED = "triage.decided"  # {key, category, confidence, agent}
    CONTRACT_BRIDGED = "contract.bridged"  # {unit_id, target, hash, written, kept}
    CODER_LOGGED = "coder.logged"  # {unit_id, level, entry, files_changed}
    UNIT_STARTED = "unit.started"  # {unit_id, pid, port}
    UNIT_STOPPED = "unit.stopped"  # {unit_id, exit_code, asked}
    UNIT_UNHEALTHY = "unit.unhealthy"  # {unit_id, reason, exit_code}
    CASE_FINISHED = "case.finished"  # {id, passed}
    TOOL_CALLED = "tool.called"  # {tool, rule, duration_ms, ok}
    TOOL_FAILED = "tool.failed"  # {tool, rule, duration_ms, reason}
    TOOL_CRASHED = "tool.crashed"  # {tool, rule, duration_ms, error_id, message, frames}
    POLICY_DECIDED = "policy.decided"  # {tool, decision, rule, file, line, position, subject}
    POLICY_REFUSED = "policy.refused"  # {tool, decision, rule, file, line, position, reason}
    ESCALATION = "escalation"  # {level, error_id, tool, agent, message}


@frozen
class Event:
    """One committed event; `id` rises over all processes of the project."""

    id: int
    type: str
    ts: str
    project_id: str
    agent: str
    unit_id: str | None
    call_id: str | None
    session_id: str | None
    data: Mapping[str, Any]


@frozen
class Place:
    """How far events were read: the id, and of which of the databases that lay there in turn."""

    after: int
    generation: int


_MASKED = frozenset(
    {
        EventType.TOOL_FAILED, EventType.TOOL_CRASHED, EventType.ESCALATION,
        EventType.POLICY_DECIDED, EventType.POLICY_REFUSED,
    }
)  # fmt: skip
"""Events that quote a call: secrets in them are masked before they are written."""

_Values = tuple[str, str, str, str, str | None, str, str, str]

_INSERT = (
    "INSERT INTO events (ts, type, project_id, agent, unit_id, call_id, session_id, data)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_COLUMNS = Event.__match_args__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM events WHERE id > ? ORDER BY id LIMIT ?"


class EventLog:
    """Appends events and reads them back. Safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._waiting: list[_Values] = []
        self._seen = 0

    def emit(self, origin: Origin, event: EventType, data: Mapping[str, Any]) -> None:
        """Commit one event; it is on disk when this returns. Raises StorageError."""
        self._commit([_values(origin, event, data)])

    def emit_within(
        self,
        transaction: sqlite3.Connection,
        origin: Origin,
        event: EventType,
        data: Mapping[str, Any],
    ) -> None:
        """Add one event to a change of this database: both are committed, or neither is."""
        transaction.execute(_INSERT, _values(origin, event, data))

    def note(self, origin: Origin, event: EventType, data: Mapping[str, Any]) -> None:
        """Keep an event for the next commit: for calls themselves, which change nothing."""
        values = _values(origin, event, data)
        with self._guard:
            self._waiting.append(values)

    def flush(self) -> None:
        """Commit what `note` has kept. Raises StorageError."""
        self._commit([])

    def has_waiting(self) -> bool:
        """Whether `note` has kept anything."""
        return bool(self._waiting)

    def read(self, after: int, limit: int = MAX_READ) -> Sequence[Event]:
        """Events with an id above `after`, oldest first, at most `limit`."""
        return [_event(row) for row in self._database.rows(_SELECT, (after, limit))]

    def read_on(self, place: Place) -> tuple[Sequence[Event], Place]:
        """The events behind `place`, oldest first, at most 1,000, and the place behind them.

        Where another database has taken that one's place, all of its events are behind it.
        """
        while True:
            generation = self._database.generation
            after = place.after if generation == place.generation else 0
            page = self.read(after)
            if generation == self._database.generation:
                return page, Place(page[-1].id if page else after, generation)

    def end(self) -> Place:
        """The place behind the newest event."""
        while True:
            generation = self._database.generation
            newest = self.last_id()
            if generation == self._database.generation:
                return Place(newest, generation)

    def of_types(
        self, types: Sequence[EventType], after: int, *, agent: str | None = None, since: str = ""
    ) -> Sequence[Event]:
        """The same, of some types alone; of one agent, and from a time on (as `ts` is written)."""
        marks = ", ".join("?" * len(types))
        where = f"id > ? AND type IN ({marks}) AND ts >= ?" + (" AND agent = ?" if agent else "")
        sql = f"SELECT {', '.join(_COLUMNS)} FROM events WHERE {where} ORDER BY id LIMIT ?"
        values = (after, *types, since, *([agent] if agent else []), MAX_READ)
        return [_event(row) for row in self._database.rows(sql, values)]

    def changed(self) -> bool:
        """Whether anybody may have committed since the last time this was asked."""
        version = self._database.data_version()
        changed, self._seen = version != self._seen, version
        return changed

    def last_id(self) -> int:
        """The id of the newest event, 0 if there is none."""
        [(newest,)] = self._database.rows("SELECT coalesce(max(id), 0) FROM events")
        return int(str(newest))

    def _commit(self, now: list[_Values]) -> None:
        with self._guard:
            waiting, self._waiting = self._waiting, []
        if not waiting and not now:
            return
        try:
            with self._database.transaction() as connection:
                connection.executemany(_INSERT, [*waiting, *now])
        except BaseException:
            with self._guard:
                self._waiting[:0] = waiting[-MAX_READ:]
            raise


def as_object(event: Event) -> dict[str, Any]:
    """One event for the wire, without the fields that it has no value for."""
    return {name: value for name in _COLUMNS if (value := getattr(event, name)) is not None}


def as_json(event: Event) -> bytes:
    """The same as JSON."""
    return orjson.dumps(as_object(event))


def _values(origin: Origin, event: EventType, data: Mapping[str, Any]) -> _Values:
    if event in _MASKED:
        # What a call was about may hold what nobody is to read in a record.
        data = {key: _quoted(key, value) for key, value in data.items()}
    text = orjson.dumps(data).decode()
    return (
        timestamp(), event.value, origin.project_id, origin.agent,
        origin.unit_id, origin.call_id, origin.session_id, text,
    )  # fmt: skip


def _quoted(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # Masked before it is cut: half a secret would not be seen as one.
    return masked_text(value)[:MAX_SUBJECT] if key == "subject" else masked_text(value)


def _event(row: tuple[Any, ...]) -> Event:
    columns = dict(zip(_COLUMNS, row, strict=True))
    return Event(**{**columns, "data": orjson.loads(columns["data"])})
