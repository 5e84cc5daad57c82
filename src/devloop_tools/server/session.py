"""What is known about one connection: its client, who acts through it, and the host's own tools."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from devloop_tools.domain.events import EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.sealed_state import SealedStates
from devloop_tools.protocol.errors import INVALID_REQUEST, RpcError
from devloop_tools.protocol.messages import JsonObject, Request, RequestId
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.rpc.loop_thread import LoopThread
from devloop_tools.rpc.worker_threads import WorkerThreads
from devloop_tools.server.actors import Actor, Actors
from devloop_tools.server.era import ALL, claims_modern
from devloop_tools.server.turns import Turns
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.context import Progress

MakeContext = Callable[[Workspace, Origin, Progress, Client], ToolContext]


class Listener(Protocol):
    """An open `subscriptions/listen`."""

    @property
    def tools_changed(self) -> bool: ...
    @property
    def uris(self) -> Mapping[str, str]: ...
    def meta(self) -> JsonObject: ...


class Peer(Protocol):
    """The connection, as far as the meaning of messages needs it."""

    def cancel(self, request_id: object) -> None: ...
    def notify(self, method: str, params: JsonObject) -> None: ...
    def offer(self, method: str, params: JsonObject) -> None: ...
    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None: ...
    async def ready(self) -> None: ...
    async def closing(self) -> None: ...
    async def request(
        self, method: str, params: JsonObject, timeout_s: float, cancel: tuple[str, str] = ...
    ) -> Any: ...


@dataclass(slots=True)
class Session:
    """One per connection. `protocol_version` is None until `initialize` was answered.

    `tool_threads` has a high cap, since blocking tools wait for disks and processes, not for the
    processor; `threads` is for short work of ours, which must go on when that is reached.
    """

    actors: Actors
    events: EventLog
    make_context: MakeContext
    peer: Peer
    tool_threads: WorkerThreads
    threads: anyio.CapacityLimiter
    states: SealedStates
    loop: LoopThread
    turns: Turns = field(default_factory=Turns)
    offered: str = ALL
    protocol_version: str | None = None
    client: JsonObject = field(default_factory=dict)
    capabilities: JsonObject = field(default_factory=dict)
    log_level: str = "info"
    subscribed_uris: dict[str, str] = field(default_factory=dict)
    """Resources by the URI that the client wrote, with the one that events name."""
    listeners: dict[RequestId, Listener] = field(default_factory=dict)
    watcher: anyio.CancelScope | None = None
    host_tools: dict[str, ToolEntry] = field(default_factory=dict)
    subscription: anyio.CancelScope | None = None
    is_host: bool = False
    """Whether the peer has used a method of plain JSON-RPC."""

    def initialized(self, version: str, params: JsonObject) -> None:
        """`initialize` was answered with `version`."""
        self.protocol_version = version
        info, capabilities = params.get("clientInfo"), params.get("capabilities")
        self.client = info if isinstance(info, dict) else {}
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}

    def speaks(self, request: Request, version: str) -> bool:
        """Whether the revision of `request` is `version` or newer; yes where none was agreed."""
        if self.protocol_version is None or claims_modern(request.params, self.offered):
            return True
        return self.protocol_version >= version

    @property
    def hears_escalations(self) -> bool:
        """A host does; an MCP client doesn't know the notification."""
        return self.is_host

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

    def granted(self, actor: Actor, name: str) -> ToolEntry | None:
        """The tool of that name in `actor`'s catalog, which isn't made for it."""
        if entry := actor.catalog.get(name):
            return entry
        entry = self.host_tools.get(name)
        return entry if entry and actor.policy.allows(entry.name, entry.namespace) else None
