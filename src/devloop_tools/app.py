"""Composition root: settings to registry, policy, stores and server. It alone knows all."""

import asyncio
import logging
import math
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from devloop_tools.domain.events import EventLog
from devloop_tools.domain.memories import MemoryStore
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.runtime_state import RuntimeStateStore
from devloop_tools.domain.timeline import Timeline
from devloop_tools.domain.todos import TodoStore
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.agents import AgentTemplate, find_agent, load_agents
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.discovery import discover, discover_packs
from devloop_tools.registry.policy import Policy, build_policy
from devloop_tools.registry.registry import Registry
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.process import LONGEST_END_S, call_on_signals, end_within
from devloop_tools.rpc.transport import Transport
from devloop_tools.server.dispatcher import Dispatcher
from devloop_tools.server.greeting import answer
from devloop_tools.server.methods import METHODS, NOTIFICATIONS
from devloop_tools.server.session import Identity, Peer, Session
from devloop_tools.settings import Settings
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.context import Progress

TOOLS_PACKAGE = "devloop_tools.tools"

FLUSH_EVERY_S = 0.2
"""Calls that changed nothing are committed to the event log in batches this far apart."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent as it is built or served: its template, what it may do, and what there is."""

    template: AgentTemplate
    policy: Policy
    registry: Registry


def load_registry(tools_dir: Path) -> Registry:
    """Every built-in tool and every pack of `tools_dir`. Raises PackError, DuplicateToolError."""
    return Registry([*discover(TOOLS_PACKAGE), *discover_packs(tools_dir / "packs")])


def load_agent(wanted: str, tools_dir: Path) -> Agent:
    """The agent `wanted` with its policy. Raises AgentsError, PolicyError and as load_registry."""
    path = tools_dir / "agents.json"
    template = find_agent(load_agents(path), wanted, path)
    registry = load_registry(tools_dir)
    policy = build_policy(template.short_name, template.cli.tool_policy, registry.entries.keys())
    return Agent(template, policy, registry)


@dataclass(frozen=True, slots=True)
class Application:
    """What one server process holds, built once."""

    settings: Settings
    catalog: Catalog
    workspace: Workspace
    events: EventLog

    def session(self, peer: Peer) -> Session:
        """A session for one connection; call it on the event loop."""
        settings = self.settings
        return Session(
            identity=Identity(
                project_id=settings.project_id,
                agent=settings.agent,
                unit_id=settings.unit_id,
                session_id=settings.session_id,
            ),
            catalog=self.catalog,
            workspace=self.workspace,
            events=self.events,
            make_context=self._context,
            peer=peer,
            threads=anyio.CapacityLimiter(math.inf),
        )

    def _context(self, origin: Origin, progress: Progress) -> ToolContext:
        stores = (self.workspace, origin, self.events)
        return ToolContext(
            origin=origin,
            workspace=self.workspace,
            todos=TodoStore(*stores),
            runtime_state=RuntimeStateStore(*stores),
            timeline=Timeline(*stores),
            memories=MemoryStore(*stores),
            events=self.events,
            progress=progress,
        )


def build(settings: Settings) -> Application:
    """Everything that a server of `settings` needs. Raises what load_agent raises."""
    agent = load_agent(settings.agent, settings.tools_dir)
    return Application(
        settings=settings,
        catalog=Catalog(agent.registry, agent.policy),
        workspace=Workspace(
            settings.project_dir, _sandbox(agent.template, settings.unit_id), settings.unit_id
        ),
        events=EventLog(Database(settings.project_dir)),
    )


async def serve(
    application: Application, transport: Transport, answered: list[tuple[str, JsonObject]]
) -> None:
    """Answer the peer until it goes or a signal comes. `answered` are calls answered before."""
    connection = Connection(transport, on_closing=lambda: end_within(LONGEST_END_S))
    loop = asyncio.get_running_loop()
    call_on_signals(lambda: loop.call_soon_threadsafe(connection.stop))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_flush_events, application.events)
        await run_connection(application, connection, answered)
        tasks.cancel_scope.cancel()
    _flush(application.events)


async def run_connection(
    application: Application, connection: Connection, answered: list[tuple[str, JsonObject]]
) -> None:
    """Give the connection's messages their meaning until its input ends."""
    session = application.session(connection)
    for method, params in answered:
        body: JsonObject | None = answer(method, params)
        if method == "initialize" and body:
            session.initialized(body["result"]["protocolVersion"], params)
    await connection.run(Dispatcher(session, METHODS, NOTIFICATIONS))


async def call_once(application: Application, tool: str, arguments: JsonObject) -> JsonObject:
    """One `tools/call` through the same path: the `result` or `error` member of its reply."""
    session = application.session(_NoPeer())
    session.initialized("2025-11-25", {})
    dispatcher = Dispatcher(session, METHODS, NOTIFICATIONS)
    params = {"name": tool, "arguments": arguments}
    body = await dispatcher.request(Request(1, "tools/call", params))
    _flush(application.events)
    return body


class _NoPeer:
    def cancel(self, request_id: object) -> None:
        """Nobody is there to cancel."""

    def notify(self, method: str, params: JsonObject) -> None:
        """Nobody is there to hear."""


def _sandbox(template: AgentTemplate, unit_id: str | None) -> Sandbox:
    patterns = template.sandbox.write_allow_list
    return Sandbox(
        template.short_name,
        tuple(
            pattern.replace("{unit_id}", unit_id) if unit_id else pattern for pattern in patterns
        ),
    )


async def _flush_events(events: EventLog) -> None:
    while True:
        await anyio.sleep(FLUSH_EVERY_S)
        if events.has_waiting():
            await anyio.to_thread.run_sync(_flush, events, abandon_on_cancel=True)


def _flush(events: EventLog) -> None:
    try:
        events.flush()
    except StorageError as exc:
        _logger.warning("events: %s", exc)
