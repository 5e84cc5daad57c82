"""What a tool gets besides its arguments. Tools import no service: everything comes from here."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from devloop_tools.domain.events import EventType
from devloop_tools.domain.memories import Kind, MemoryRecorded
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Refused
from devloop_tools.domain.running.live_units import LiveUnits
from devloop_tools.domain.runtime_state import RuntimeStateUpdated, VersionConflict
from devloop_tools.domain.timeline import Level, TimelineAppended
from devloop_tools.domain.todos import (
    PlannedItem,
    Status,
    TodoItemUpdated,
    TodoListWritten,
)
from devloop_tools.storage.database import Database
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit.client import Client


class Todos(Protocol):
    """The agent's todo list."""

    def write(self, items: Sequence[PlannedItem]) -> TodoListWritten | Refused: ...
    def update(
        self, item_id: str, status: Status, *, note: str | None, evidence: str | None
    ) -> TodoItemUpdated | Refused: ...


class RuntimeStates(Protocol):
    """The agent's runtime state."""

    def patch(
        self, patch: dict[str, Any], expected_version: int | None
    ) -> RuntimeStateUpdated | VersionConflict | Refused: ...


class TimelineAppender(Protocol):
    """The project's timeline."""

    def append(
        self,
        event: str,
        *,
        summary: str = "",
        data: dict[str, Any] | None = None,
        level: Level = Level.INFO,
    ) -> TimelineAppended | Refused: ...


class Memories(Protocol):
    """The agent's memories."""

    def record(
        self, topic: str, content: str, *, kind: Kind, tags: list[str], supersedes: str | None
    ) -> MemoryRecorded | Refused: ...


class Events(Protocol):
    """The project's event log."""

    def emit(self, origin: Origin, event: EventType, data: Mapping[str, Any]) -> None: ...
    def emit_within(
        self,
        transaction: sqlite3.Connection,
        origin: Origin,
        event: EventType,
        data: Mapping[str, Any],
    ) -> None: ...


class Progress(Protocol):
    """Tells the client how far a call is; does nothing where none asked. Safe from any thread."""

    def report(self, progress: float, total: float | None = None, message: str = "") -> None: ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One per call. Paths are relative to the project folder, with `/`."""

    origin: Origin
    workspace: Workspace
    todos: Todos
    runtime_state: RuntimeStates
    timeline: TimelineAppender
    memories: Memories
    events: Events
    database: Database
    units: LiveUnits
    progress: Progress
    client: Client

    @property
    def project_id(self) -> str:
        return self.origin.project_id

    @property
    def agent(self) -> str:
        """Short name: pm, architect, coder, tester, integrator, bug-triager."""
        return self.origin.agent

    @property
    def unit_id(self) -> str | None:
        """The unit of a coder or tester, else None."""
        return self.origin.unit_id

    @property
    def call_id(self) -> str:
        return self.origin.call_id

    @property
    def session_id(self) -> str:
        return self.origin.session_id

    def log(self, level: Level, message: str) -> None:
        """Write a short timeline entry, and tell the client."""
        self.timeline.append("log", summary=message, level=level)
        self.client.log("warning" if level is Level.WARN else level.value, message)
