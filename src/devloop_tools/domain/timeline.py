"""The project's timeline: one line an event, append only, numbered without gaps."""

from enum import StrEnum
from typing import Any

import orjson

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.workspace import Workspace

MAX_SUMMARY = 2000
MAX_DATA_BYTES = 64 * 1024
"""The last line is looked for at the end of the file, so that a line has a bound."""

_LARGEST_SEQ = 2**53


class Level(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"


class TimelineAppended(Done):
    """The line's number in `timeline.ndjson`; numbers have no gaps over all agents."""

    seq: int


class Timeline:
    """Appends to `timeline.ndjson`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: EventLog) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def append(
        self,
        event: str,
        *,
        summary: str = "",
        data: dict[str, Any] | None = None,
        level: Level = Level.INFO,
    ) -> TimelineAppended | Refused:
        """Add one line and return its number; it is on disk when this returns.

        A longer summary than `MAX_SUMMARY` is cut.
        """
        size = len(orjson.dumps(data))
        if size > MAX_DATA_BYTES:
            return refused(
                f"data: it takes {size} bytes; {MAX_DATA_BYTES} are allowed",
                "Write it to a file, and give the file's path in data.",
            )
        summary, seq = summary[:MAX_SUMMARY], 0

        def make(last: bytes) -> bytes:
            nonlocal seq
            seq = _seq_of(last) + 1
            line = {
                "seq": seq,
                "ts": timestamp(),
                "agent": self._origin.agent,
                "unit_id": self._origin.unit_id,
                "call_id": self._origin.call_id,
                "session_id": self._origin.session_id,
                "event": event,
                "level": level.value,
                "summary": summary,
                "data": data or {},
            }
            return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)

        with self._workspace.locked(self._workspace.timeline) as file:
            file.append_line(make, is_entry=lambda entry: _seq_of(entry) > 0)
        fact = {"seq": seq, "event": event, "level": level.value, "summary": summary}
        self._events.emit(self._origin, EventType.TIMELINE_APPENDED, fact)
        return TimelineAppended(seq=seq)


def _seq_of(line: bytes) -> int:
    """The number of a line, 0 where it is none of ours."""
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return 0
    seq = entry.get("seq") if isinstance(entry, dict) else None
    return seq if type(seq) is int and 0 < seq < _LARGEST_SEQ else 0
