"""What a tool gets besides its arguments. Tools import no service: everything comes from here."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from devloop_tools.domain.events import EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.timeline import Level, Timeline
from devloop_tools.frozen import frozen
from devloop_tools.storage.database import Database
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit.client import Client

if TYPE_CHECKING:
    from devloop_tools.domain.memories import MemoryStore
    from devloop_tools.domain.running.live_units import LiveUnits
    from devloop_tools.domain.runtime_state import RuntimeStateStore
    from devloop_tools.domain.todos import TodoStore


class Progress(Protocol):
    """Tells the client how far a call is; does nothing where none asked. Safe from any thread."""

    def report(self, progress: float, total: float | None = None, message: str = "") -> None: ...


@frozen
class ToolContext:
    """One per call. Paths are relative to the project folder, with `/`.

    A store is made when it is asked for, and its module is imported by the first call that does.
    """

    origin: Origin
    workspace: Workspace
    events: EventLog
    database: Database
    started: Callable[[], "LiveUnits"]
    """Gives the units that this server has started."""
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

    @property
    def units(self) -> "LiveUnits":
        """The units that this server has started."""
        return self.started()

    @property
    def todos(self) -> "TodoStore":
        """The agent's todo list."""
        from devloop_tools.domain.todos import TodoStore

        return TodoStore(self.workspace, self.origin, self.events)

    @property
    def runtime_state(self) -> "RuntimeStateStore":
        """The agent's runtime state."""
        from devloop_tools.domain.runtime_state import RuntimeStateStore

        return RuntimeStateStore(self.workspace, self.origin, self.events)

    @property
    def memories(self) -> "MemoryStore":
        """The agent's memories."""
        from devloop_tools.domain.memories import MemoryStore

        return MemoryStore(self.workspace, self.origin, self.events)

    @property
    def timeline(self) -> Timeline:
        """The project's timeline."""
        return Timeline(self.workspace, self.origin, self.events)

    def log(self, level: Level, message: str) -> None:
        """Write a short timeline entry, and tell the client."""
        self.timeline.append("log", summary=message, level=level)
        self.client.log("warning" if level is Level.WARN else level.value, message)
