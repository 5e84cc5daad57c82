"""A client in memory: speaks JSON-RPC lines, of both eras of MCP, to the real dispatcher, catalog
and stores."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import anyio

from devloop_tools.app import TOOLS_PACKAGE, Application, Cast, Tools, run_connection
from devloop_tools.domain.events import Event, EventLog
from devloop_tools.domain.running.live_units import LiveUnits
from devloop_tools.domain.sealed_state import SealedStates
from devloop_tools.protocol.mcp import (
    LATEST,
    META_CAPABILITIES,
    META_CLIENT,
    META_VERSION,
    MODERN,
)
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.agents import AgentsFile, AgentTemplate, CliSettings, SandboxSettings
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.packs import Packs
from devloop_tools.registry.registry import Registry
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.server.era import ALL
from devloop_tools.settings import Settings
from devloop_tools.storage.database import Database
from devloop_tools.toolkit import ToolDefinition

HANG_S = 10
ASKED_EVERY_S = 0.002
EVERYTHING: JsonObject = {"elicitation": {}, "sampling": {}, "roots": {}}
"""The capabilities of a client that can be asked anything."""

KEY = b"a key of thirty-two bytes, or so"

_NO_PACKS = Packs()


class Client:
    """One end of a connection. What came in stays in `received`, in order."""

    def __init__(self, transport: MemoryTransport, application: Application) -> None:
        self._transport = transport
        self._ids = count(1)
        self.application = application
        self.received: list[Any] = []
        self._heard: Counter[str] = Counter()

    def send(self, *messages: object) -> None:
        """Send each as a line, whatever it is."""
        for message in messages:
            self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        self._transport.send(line)

    def notify(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: object = None, *, request_id: object = None) -> Any:
        """Send a request and return its id, without waiting."""
        if request_id is None:
            request_id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def start_call(
        self, tool: str, arguments: object = None, meta: object = None, *, request_id: object = None
    ) -> Any:
        """Send a tools/call and return its id, without waiting."""
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        return self.start("tools/call", params, request_id=request_id)

    def start_modern(
        self, method: str, params: JsonObject | None = None, capabilities: object = None
    ) -> Any:
        """Send a stateless request and return its id, without waiting."""
        return self.start(method, stateless(params, capabilities))

    def answer(self, request: JsonObject, result: object) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    async def incoming(self, method: str) -> Any:
        """The next notification or request of the server with this method, each only once."""
        while True:
            found = [message for message in self.notifications if message["method"] == method]
            if len(found) > self._heard[method]:
                self._heard[method] += 1
                return found[self._heard[method] - 1]
            await self.next()

    async def next(self) -> Any:
        """The next line, which is one strict JSON value and ends in its only LF."""
        line = await self._transport.receive()
        assert line is not None, "the server has closed the connection"
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        message = json.loads(line.decode(), parse_constant=_refuse_constant)
        self.received.append(message)
        return message

    async def reply(self, request_id: object) -> Any:
        """The reply to this id, whenever it comes."""
        if found := self.replies(request_id):
            return found[0]
        while not _answers(message := await self.next(), request_id):
            pass
        return message

    def replies(self, request_id: object) -> list[Any]:
        """Every reply with this id that has come, compared with its type."""
        return [message for message in self.received if _answers(message, request_id)]

    @property
    def notifications(self) -> list[Any]:
        return [message for message in self.received if "method" in message]

    async def request(self, method: str, params: object = None) -> Any:
        """The whole reply."""
        return await self.reply(self.start(method, params))

    async def result(self, method: str, params: object = None) -> Any:
        return (await self.request(method, params))["result"]

    async def error(self, method: str, params: object = None) -> Any:
        return (await self.request(method, params))["error"]

    async def modern(
        self, method: str, params: JsonObject | None = None, capabilities: object = None
    ) -> Any:
        """The whole reply to a stateless request."""
        return await self.reply(self.start_modern(method, params, capabilities))

    async def shake_hands(self, version: str = LATEST, capabilities: object = EVERYTHING) -> Any:
        """The result of `initialize`."""
        asked = {"protocolVersion": version, "capabilities": capabilities}
        return await self.result("initialize", asked)

    async def call(self, tool: str, arguments: object = None, meta: object = None) -> Any:
        """The result of a tools/call."""
        return (await self.reply(self.start_call(tool, arguments, meta)))["result"]

    async def settle(self) -> None:
        """Everything that the server can say by now has been received."""
        await self.request("server.info")

    def close(self) -> None:
        """End the server's input."""
        self._transport.close()

    def events(self) -> list[Event]:
        """Every event of the project, committed now."""
        self.application.events.flush()
        return list(self.application.events.read(0))


def stateless(params: JsonObject | None = None, capabilities: object = None) -> JsonObject:
    """Params as 2026-07-28 has them; a `_meta` in `params` wins, field by field."""
    given = params or {}
    meta = {
        META_VERSION: MODERN,
        META_CAPABILITIES: EVERYTHING if capabilities is None else capabilities,
        META_CLIENT: {"name": "测试", "version": "1"},
    }
    return {**given, "_meta": {**meta, **given.get("_meta", {})}}


@asynccontextmanager
async def connected(
    root: Path, *tools: ToolDefinition | ToolEntry, version: str | None = LATEST, **how: Any
) -> AsyncIterator[Client]:
    """A client of a server with the built-in tools and `tools`; no handshake where None.

    `how` is as for `make_application`.
    """
    async with connected_to(make_application(root, *tools, **how)) as client:
        if version is not None:
            await client.result("initialize", {"protocolVersion": version})
            client.received.clear()
        yield client


@asynccontextmanager
async def connected_to(application: Application) -> AsyncIterator[Client]:
    """A client of a server that holds `application`, without a handshake."""
    theirs, ours = memory_pair()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_connection, application, Connection(ours), [])
            client = Client(theirs, application)
            yield client
            client.close()


def make_application(
    root: Path,
    *tools: ToolDefinition | ToolEntry,
    granted: Sequence[str | JsonObject] = ("*",),
    write_allow: Sequence[str] = ("**",),
    agents: Sequence[str] = ("pm",),
    packs: Packs = _NO_PACKS,
    protocol: str = ALL,
    for_cli: bool = False,
) -> Application:
    """What a server of the first of `agents` holds, for a project in `root`."""
    entries = [*_built_in(), *map(_entry, tools)]
    templates = tuple(
        AgentTemplate(
            id=f"devloop-{agent}",
            cli=CliSettings(tool_policy=tuple(granted)),
            sandbox=SandboxSettings(write_allow_list=tuple(write_allow)),
        )
        for agent in agents
    )
    settings = Settings(
        agent=agents[0],
        project_dir=root,
        project_id="项目-1",
        tools_dir=root,
        unit_id=None,
        session_id="session-1",
        data_dir=None,
        for_cli=for_cli,
        host=False,
        protocol=protocol,
    )
    found = Tools(root, Registry(entries), AgentsFile(templates=templates), packs, packs.prompts)
    default = Cast(settings, found, None).named(agents[0], None)
    database = Database(root)
    states = SealedStates(lambda: KEY, database)
    return Application(
        Cast(settings, found, default), database, EventLog(database), states, LiveUnits
    )


def _answers(message: object, request_id: object) -> bool:
    if not isinstance(message, dict) or "method" in message:
        return False
    return type(message["id"]) is type(request_id) and bool(message["id"] == request_id)


@cache
def _built_in() -> Sequence[ToolEntry]:
    return list(discover(TOOLS_PACKAGE))


def _entry(tool: ToolDefinition | ToolEntry) -> ToolEntry:
    return tool if isinstance(tool, ToolEntry) else ToolEntry.of(tool, "test", "test")


def text_of(result: Any) -> str:
    """The text of a result's only content block."""
    [block] = result["content"]
    assert block["type"] == "text"
    return str(block["text"])


async def comes_true(condition: Callable[[], bool]) -> None:
    """Wait for what a thread does; asked now and then, not all the time that the thread needs."""
    for _ in iter(condition, True):
        await anyio.sleep(ASKED_EVERY_S)


def timeline_of(root: Path) -> list[JsonObject]:
    """The project's timeline, oldest first."""
    path = root / "timeline.ndjson"
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
