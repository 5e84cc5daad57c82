"""A host in memory: speaks JSON-RPC lines to the real dispatcher, registry, policy and stores."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest

from devloop_tools.app import Application, build, run_connection
from devloop_tools.domain.events import Event
from devloop_tools.protocol.mcp import LATEST
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.rpc.transport import ENOUGH_QUEUED
from devloop_tools.settings import Flags, resolve

HANG_S = 20.0
TOOLS = Path(__file__).with_name("tools.d")


class Host:
    """The other end of one connection. What it heard stays in `heard`, in order."""

    def __init__(self, transport: MemoryTransport, application: Application) -> None:
        self._transport = transport
        self._ids = count(1)
        self.application = application
        self.heard: list[dict[str, Any]] = []
        self._replies: dict[Any, dict[str, Any]] = {}

    @property
    def root(self) -> Path:
        return self.application.cast.project_dir

    def send(self, message: dict[str, Any]) -> None:
        """Send one message as a line."""
        self._transport.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id, without waiting."""
        request_id = next(self._ids)
        self.send({"id": request_id, "method": method, "params": params})
        return request_id

    def start_tool(self, name: str, given: dict[str, Any] | None = None, **more: Any) -> int:
        """Send a tools.execute and return its id, without waiting."""
        return self.start("tools.execute", {"name": name, "input": given or {}, **more})

    def cancel(self, request_id: int) -> None:
        self.send({"method": "$/cancel", "params": {"id": request_id}})

    def answer(self, request: dict[str, Any], **body: Any) -> None:
        """Answer a request of the server's with `result` or `error`."""
        self.send({"id": request["id"], **body})

    def leave(self) -> None:
        """End the server's input."""
        self._transport.close()

    async def next(self) -> dict[str, Any]:
        """The next message, whatever it is."""
        line = await self._transport.receive()
        assert line is not None, "the server has closed the connection"
        message: dict[str, Any] = json.loads(line)
        self.heard.append(message)
        if "method" not in message:
            self._replies.setdefault(message.get("id"), message)
        return message

    @property
    def queued(self) -> int:
        """Bytes that the server has said and that weren't taken."""
        return self._transport._inbound.queued

    async def held_up(self) -> None:
        """Take nothing until the server waits for that."""
        while self.queued < ENOUGH_QUEUED:
            await self._transport._inbound.changed()
        await anyio.wait_all_tasks_blocked()

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message heard that is wanted, waited for if need be."""
        for message in self.heard:
            if wanted(message):
                return message
        while not wanted(message := await self.next()):
            pass
        return message

    async def reply(self, request_id: int) -> dict[str, Any]:
        while request_id not in self._replies:
            await self.next()
        return self._replies[request_id]

    async def asked(self) -> dict[str, Any]:
        """The next request that the server sends."""
        while "id" not in (message := await self.next()) or "method" not in message:
            pass
        return message

    def told(self, method: str) -> list[dict[str, Any]]:
        """The params of every notification of this method so far."""
        return [
            message["params"]
            for message in self.heard
            if message.get("method") == method and "id" not in message
        ]

    async def told_times(self, method: str, times: int) -> list[dict[str, Any]]:
        """The same, once there are that many."""
        missing = times - len(self.told(method))
        while missing > 0:
            message = await self.next()
            missing -= message.get("method") == method and "id" not in message
        return self.told(method)

    async def result(self, method: str, params: Any = None) -> Any:
        reply = await self.reply(self.start(method, params))
        assert "result" in reply, reply
        return reply["result"]

    async def error(self, method: str, params: Any = None) -> dict[str, Any]:
        reply = await self.reply(self.start(method, params))
        assert "error" in reply, reply
        error: dict[str, Any] = reply["error"]
        return error

    async def execute(self, name: str, given: dict[str, Any] | None = None, **more: Any) -> Any:
        """The result of a tools.execute."""
        return await self.result("tools.execute", {"name": name, "input": given or {}, **more})

    async def failed(
        self, name: str, given: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """The error of a tools.execute."""
        return await self.error("tools.execute", {"name": name, "input": given or {}, **more})

    async def call(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """The result of the same through the other door, tools/call."""
        return await self.result("tools/call", {"name": name, "arguments": arguments or {}})

    async def initialize(self) -> None:
        await self.result("initialize", {"protocolVersion": LATEST, "capabilities": {}})

    async def register(self, *names: str, **more: Any) -> Any:
        """Register tools of the host's own that take any object."""
        tools = [
            {"name": name, "description": "自己的 tool", "input_schema": {"type": "object"}, **more}
            for name in names
        ]
        return await self.result("tools.register", {"tools": tools})

    async def settle(self) -> None:
        """Everything that the server can say by now has been heard."""
        await self.result("ping")

    def events(self) -> list[Event]:
        """Every event of the project, committed now."""
        self.application.events.flush()
        return list(self.application.events.read(0))

    def timeline(self) -> list[dict[str, Any]]:
        path = self.root / "timeline.ndjson"
        return [json.loads(line) for line in path.read_bytes().splitlines()]


Connect = Callable[..., AbstractAsyncContextManager[Host]]


@pytest.fixture(scope="session")
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Verdicts on the pack are found once, and never in the user's own folder."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture
def connect(tmp_path: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch) -> Connect:
    """`async with connect(agent="pm", host=True) as host` is a server for a project of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state_home))
    project = tmp_path / "项目 one"
    project.mkdir()

    @asynccontextmanager
    async def connected(**flags: Any) -> AsyncIterator[Host]:
        given = {"agent": "pm", "tools_dir": str(TOOLS), "session": "session-1", **flags}
        application = build(resolve(Flags(project_dir=str(project), **given), {}))
        theirs, ours = memory_pair()
        with anyio.fail_after(HANG_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run_connection, application, Connection(ours), [])
                host = Host(theirs, application)
                yield host
                host.leave()

    return connected
