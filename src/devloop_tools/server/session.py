"""What is known about one connection: its client, and who acts through it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from devloop_tools.domain.events import EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.catalog import Catalog
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.context import Progress

MakeContext = Callable[[Origin, Progress], ToolContext]


class Peer(Protocol):
    """The connection, as far as the meaning of messages needs it."""

    def cancel(self, request_id: object) -> None: ...
    def notify(self, method: str, params: JsonObject) -> None: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Who acts: from the command line and environment of the process, never from the model."""

    project_id: str
    agent: str
    unit_id: str | None
    session_id: str


@dataclass(slots=True)
class Session:
    """One per connection. `protocol_version` is None until `initialize` was answered.

    `threads` has no low cap: blocking tools wait for disks and processes, not for the processor.
    """

    identity: Identity
    catalog: Catalog
    workspace: Workspace
    events: EventLog
    make_context: MakeContext
    peer: Peer
    threads: anyio.CapacityLimiter
    protocol_version: str | None = None
    client: dict[str, Any] = field(default_factory=dict)

    def initialized(self, version: str, params: JsonObject) -> None:
        """`initialize` was answered with `version`."""
        self.protocol_version = version
        info = params.get("clientInfo")
        self.client = info if isinstance(info, dict) else {}

    def speaks(self, version: str) -> bool:
        """Whether the negotiated revision is `version` or newer; yes where none was negotiated."""
        return self.protocol_version is None or self.protocol_version >= version
