"""What is known about one connection: its client, who acts through it, and the host's own tools."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from devloop_tools.domain.events import EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.protocol.errors import INVALID_REQUEST, RpcError
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.actors import Actor, Actors
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.context import Progress

MakeContext = Callable[[Workspace, Origin, Progress], ToolContext]


class Peer(Protocol):
    """The connection, as far as the meaning of messages needs it."""

    def cancel(self, request_id: object) -> None: ...
    def notify(self, method: str, params: JsonObject) -> None: ...
    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None: ...
    async def ready(self) -> None: ...
    async def request(self, method: str, params: JsonObject, timeout_s: float) -> Any: ...


@dataclass(slots=True)
class Session:
    """One per connection. `protocol_version` is None until `initialize` was answered.

    `threads` has no low cap: blocking tools wait for disks and processes, not for the processor.
    """

    actors: Actors
    events: EventLog
    make_context: MakeContext
    peer: Peer
    threads: anyio.CapacityLimiter
    protocol_version: str | None = None
    client: dict[str, Any] = field(default_factory=dict)
    host_tools: dict[str, ToolEntry] = field(default_factory=dict)
    subscription: anyio.CancelScope | None = None

    def initialized(self, version: str, params: JsonObject) -> None:
        """`initialize` was answered with `version`."""
        self.protocol_version = version
        info = params.get("clientInfo")
        self.client = info if isinstance(info, dict) else {}

    def speaks(self, version: str) -> bool:
        """Whether the negotiated revision is `version` or newer; yes where none was negotiated."""
        return self.protocol_version is None or self.protocol_version >= version

    @property
    def hears_escalations(self) -> bool:
        """A host does; an MCP client doesn't know the notification, unless it subscribed."""
        return self.protocol_version is None or self.subscription is not None

    @property
    def actor(self) -> Actor:
        """The agent of this process. Raises RpcError under `--host` without a default."""
        if self.actors.default is None:
            raise RpcError(INVALID_REQUEST, "no agent: start serve --host with --agent for MCP")
        return self.actors.default

    def catalog(self, actor: Actor) -> Catalog:
        """What `actor` sees on this connection, the host's own tools included."""
        if not self.host_tools:
            return actor.catalog
        return actor.catalog.joined(self.host_tools.values(), actor.policy)
