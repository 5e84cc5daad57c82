"""Composition root: settings to registry, policy, stores and server. It alone knows all."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from devloop_tools.domain.agent_clis import record_cli
from devloop_tools.domain.events import EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.sealed_state import SealedStates
from devloop_tools.frozen import frozen
from devloop_tools.launch.configuration import require_unchanged
from devloop_tools.protocol.mcp import LATEST, negotiated
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.agents import AgentsFile, AgentTemplate, find_agent, load_agents
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.pack_verdicts import PackVerdicts, state_folder, verdicts_file
from devloop_tools.registry.packs import PackFault, Packs, load_packs
from devloop_tools.registry.policy import Policy, Source, build_policy
from devloop_tools.registry.registry import Registry
from devloop_tools.registry.sandboxes import sandbox_of
from devloop_tools.rpc.ancestry import parent
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.loop_thread import LoopThread
from devloop_tools.rpc.process import LONGEST_END_S, call_on_signals, end_within
from devloop_tools.rpc.transport import Transport
from devloop_tools.rpc.worker_threads import WorkerThreads
from devloop_tools.server.actors import Actor, UnknownActor
from devloop_tools.server.agent_prompts import agent_prompts
from devloop_tools.server.dispatcher import Dispatcher
from devloop_tools.server.methods import METHODS, NOTIFICATIONS
from devloop_tools.server.session import Peer, Session
from devloop_tools.settings import UNIT_AGENTS, Settings, id_fault, user_config_dir
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.keys import project_key
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.context import Progress
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition

if TYPE_CHECKING:
    from devloop_tools.domain.running.live_units import LiveUnits

TOOLS_PACKAGE = "devloop_tools.tools"

FLUSH_EVERY_S = 0.2
"""Calls that changed nothing are committed to the event log in batches this far apart."""

MAX_NAMED = 8
"""So many of the tools that aren't there yet are named at a start."""

MAX_KEPT = 256
"""A host may name any number of units; so many agents at work are kept ready."""

MAX_TOOL_THREADS = 256
"""Blocking tools that run at once; what comes on top waits its turn, and can be cancelled."""

MAX_THREADS = 64
"""Short work of ours that runs at once."""

_logger = logging.getLogger(__name__)


@frozen
class Agent:
    """One agent as it is built or served: its template, what it may do, and what there is."""

    template: AgentTemplate
    policy: Policy
    registry: Registry


@frozen
class Tools:
    """What exists: every tool, the agents of the file, and the packs that failed."""

    folder: Path
    registry: Registry
    agents: AgentsFile
    packs: Packs
    prompts: Sequence[PromptDefinition]

    def agent(self, wanted: str) -> Agent:
        """An agent by short name or id. Raises AgentsError, PolicyError."""
        template = find_agent(self.agents, wanted, self.folder / "agents.json")
        policy = build_policy(
            template.short_name,
            template.cli.tool_policy,
            self.registry.entries.keys(),
            packs_failed=bool(self.packs.faults),
            source=Source(self.agents.file, template.policy_keys),
        )
        return Agent(template, policy, self.registry)

    def complaints(self, policy: Policy) -> Iterator[str]:
        """A line for each thing that is wrong and that the server lives with."""
        yield from map(str, self.packs.faults)
        match policy.missing:
            case []:
                return
            case [missing]:
                yield str(missing)
            case many:
                named = ", ".join(missing.tool for missing in many[:MAX_NAMED])
                more = f" and {len(many) - MAX_NAMED} more" if len(many) > MAX_NAMED else ""
                yield (
                    f"{self.folder / 'agents.json'}: {len(many)} rules of {policy.agent} are for "
                    f"tools that aren't there yet: {named}{more}; "
                    f"devloop-tools doctor --agent {policy.agent} says where and why"
                )


def load_agent(wanted: str, folder: Path) -> Agent:
    """One agent of the file in `folder`. Raises as load_tools and Tools.agent do."""
    return load_tools(folder).agent(wanted)


def load_tools(folder: Path) -> Tools:
    """Built-in tools, packs and agents. Raises AgentsError, DuplicateToolError."""
    agents = load_agents(folder / "agents.json")
    built_in = Registry(discover(TOOLS_PACKAGE))
    verdicts = PackVerdicts(verdicts_file(os.environ))
    own = user_config_dir(os.environ)
    folders = [place / "packs" for place in (folder, own) if place]
    packs = load_packs(folders, built_in.entries, verdicts)
    registry = Registry([*built_in.entries.values(), *packs.entries])
    prompts = [*agent_prompts(agents.templates, folder), *packs.prompts]
    return Tools(folder, registry, agents, packs, prompts)


@dataclass(frozen=True, slots=True)
class Cast:
    """The agents that one server process acts for; all but the default are made when named."""

    settings: Settings
    tools: Tools
    default: Actor | None
    _made: dict[tuple[str, str | None], Actor] = field(default_factory=dict)

    @property
    def takes_context(self) -> bool:
        return self.settings.host

    @property
    def serves_cli(self) -> bool:
        return self.settings.for_cli

    @property
    def registry(self) -> Registry:
        return self.tools.registry

    @property
    def project_dir(self) -> Path:
        return self.settings.project_dir

    @property
    def pack_faults(self) -> Sequence[PackFault]:
        return self.tools.packs.faults

    @property
    def agent_names(self) -> Sequence[str]:
        return [template.short_name for template in self.tools.agents.templates]

    @property
    def resources(self) -> Sequence[ResourceDefinition]:
        return self.tools.packs.resources

    @property
    def prompts(self) -> Sequence[PromptDefinition]:
        return self.tools.prompts

    def named(self, agent: str, unit_id: str | None, *, works: bool = True) -> Actor:
        """See `server.actors.Actors`."""
        if works and agent in UNIT_AGENTS and unit_id is None:
            raise UnknownActor(f"{agent} works on one unit; say which, such as todo-be")
        key = (agent, unit_id)
        if key not in self._made:
            if len(self._made) >= MAX_KEPT:
                self._made.clear()
            try:
                self._made[key] = _actor(self.settings, self.tools, *key)
            except LoadError as exc:
                raise UnknownActor(str(exc)) from None
        return self._made[key]


@frozen
class Application:
    """What one server process holds, built once."""

    cast: Cast
    database: Database
    events: EventLog
    states: SealedStates
    units: Callable[[], "LiveUnits"]

    def session(self, peer: Peer) -> Session:
        """A session for one connection; call it on the event loop."""
        return Session(
            actors=self.cast,
            events=self.events,
            make_context=self._context,
            peer=peer,
            tool_threads=WorkerThreads(MAX_TOOL_THREADS),
            threads=anyio.CapacityLimiter(MAX_THREADS),
            states=self.states,
            loop=LoopThread(),
            offered=self.cast.settings.protocol,
        )

    def complaints(self) -> Iterator[str]:
        """What is wrong with the tools folder and that the server lives with."""
        default = self.cast.default
        if default is not None:
            yield from self.cast.tools.complaints(default.policy)
        else:
            yield from map(str, self.cast.pack_faults)

    def _context(
        self, workspace: Workspace, origin: Origin, progress: Progress, client: Client
    ) -> ToolContext:
        return ToolContext(
            origin=origin,
            workspace=workspace,
            events=self.events,
            database=self.database,
            started=self.units,
            progress=progress,
            client=client,
        )


def build(settings: Settings) -> Application:
    """Everything that a server of `settings` needs. Raises LoadError, UnknownActor, LaunchError."""
    if settings.config_digest:
        place = (settings.project_dir, settings.configuration)
        require_unchanged(settings.config_digest, *place)
    tools = load_tools(settings.tools_dir)
    default = None
    if settings.agent:
        default = _actor(settings, tools, settings.agent, settings.unit_id)
    database = Database(settings.project_dir)
    key = partial(project_key, state_folder(os.environ) / "keys", settings.project_dir)
    return Application(
        cast=Cast(settings, tools, default),
        database=database,
        events=EventLog(database),
        states=SealedStates(cache(key), database),
        units=cache(_live_units),
    )


def _live_units() -> "LiveUnits":
    # Most servers start no unit.
    from devloop_tools.domain.running.live_units import LiveUnits

    return LiveUnits()


async def serve(
    application: Application, transport: Transport, answered: list[tuple[str, JsonObject]]
) -> None:
    """Answer the peer until it goes or a signal comes. `answered` are calls answered before."""
    connection = Connection(transport, on_closing=lambda: end_within(LONGEST_END_S))
    loop = asyncio.get_running_loop()
    call_on_signals(partial(_stop, connection, loop))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_flush_events, application.events)
        if application.cast.serves_cli:
            tasks.start_soon(_record_cli, application)
        await run_connection(application, connection, answered)
        tasks.cancel_scope.cancel()
    _flush(application.events)


async def _record_cli(application: Application) -> None:
    """Remember who started this server: nothing below that CLI may decide in a person's place."""
    cli, agent = parent(), application.cast.settings.agent or ""
    if cli is None:
        return
    try:
        record = partial(record_cli, application.database, cli.pid, cli.started, agent)
        await anyio.to_thread.run_sync(record, abandon_on_cancel=True)
    except StorageError as exc:
        _logger.warning("the CLI is not recorded: %s", exc)


def _stop(connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
    # A second signal may come when the loop has ended.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(connection.stop)


async def run_connection(
    application: Application, connection: Connection, answered: list[tuple[str, JsonObject]]
) -> None:
    """Give the connection's messages their meaning until its input ends."""
    session = application.session(connection)
    for method, params in answered:
        if method == "initialize":
            session.initialized(negotiated(str(params["protocolVersion"])), params)
    await connection.run(Dispatcher(session, METHODS, NOTIFICATIONS))


async def call_once(application: Application, tool: str, arguments: JsonObject) -> JsonObject:
    """One `tools/call` through the same path: the `result` or `error` member of its reply."""
    session = application.session(NoPeer())
    session.initialized(LATEST, {})
    dispatcher = Dispatcher(session, METHODS, NOTIFICATIONS)
    params = {"name": tool, "arguments": arguments}
    body = await dispatcher.request(Request(1, "tools/call", params))
    _flush(application.events)
    return body


class NoPeer:
    """Nobody is there to cancel, to hear or to be asked."""

    def cancel(self, request_id: object) -> None: ...
    def notify(self, method: str, params: JsonObject) -> None: ...
    def offer(self, method: str, params: JsonObject) -> None: ...
    def start(self, work: object) -> None: ...
    async def ready(self) -> None: ...
    async def closing(self) -> None: ...
    async def request(
        self, method: str, params: JsonObject, timeout_s: float, cancel: object = None
    ) -> None: ...


def _actor(settings: Settings, tools: Tools, agent: str, unit_id: str | None) -> Actor:
    found = tools.agent(agent)
    name = found.template.short_name
    if unit_id is not None and (fault := id_fault(unit_id)):
        raise UnknownActor(f"{unit_id!r} is no unit: {fault}")
    return Actor(
        project_id=settings.project_id,
        agent=name,
        unit_id=unit_id,
        session_id=settings.session_id,
        policy=found.policy,
        catalog=Catalog(tools.registry.entries.values(), found.policy),
        workspace=Workspace(
            settings.project_dir, _sandbox(settings, found.template, unit_id), unit_id
        ),
    )


def _sandbox(settings: Settings, template: AgentTemplate, unit_id: str | None) -> Sandbox:
    return sandbox_of(template, settings.project_dir, settings.configuration, unit_id)


async def _flush_events(events: EventLog) -> None:
    flushed = True
    while True:
        await anyio.sleep(FLUSH_EVERY_S)
        if events.has_waiting():
            # What fails once fails for a while; it is said once.
            flush = partial(_flush, events, quietly=not flushed)
            flushed = await anyio.to_thread.run_sync(flush, abandon_on_cancel=True)


def _flush(events: EventLog, *, quietly: bool = False) -> bool:
    try:
        events.flush()
    except StorageError as exc:
        if not quietly:
            _logger.warning("events: %s", exc)
        return False
    return True
