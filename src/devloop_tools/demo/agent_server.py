"""One agent's own tool server, spoken to over pipes as a Claude CLI does."""

import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from devloop_tools.demo.screen import Screen

REPLY_TIMEOUT_S = 120.0
CLOSE_TIMEOUT_S = 10.0
_CHUNK = 1 << 16
_PROTOCOL = "2025-11-25"


class DemoFailed(Exception):
    """The loop can't go on; the text says what stood in its way."""


class AgentServer:
    """Started at once; ended when the block ends."""

    def __init__(self, agent: str, project: Path, screen: Screen, unit: str | None = None) -> None:
        self.agent = agent
        self._screen = screen
        self._last_id = 0
        self._held = b""
        flags = ["--agent", agent, "--project-dir", str(project)]
        flags += ["--unit", unit] if unit else []
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-m", "devloop_tools", "serve", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        hello = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "demo"}}
        self._request("initialize", hello | {"clientInfo": {"name": "demo", "version": "1"}})
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        try:
            self._server.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        assert self._server.stdout is not None
        self._server.stdout.close()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The tool's own object; of prose `{"text": ...}`. Raises DemoFailed unless it is ok."""
        reply = self._request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in reply:
            raise DemoFailed(f"{self.agent}: {tool}: {reply['error']['message']}")
        result = reply["result"]
        text = "\n".join(block.get("text", "") for block in result["content"])
        value: dict[str, Any] = result.get("structuredContent") or {"text": text}
        self._screen.call(self.agent, tool, arguments, text if "text" in value else value)
        if result["isError"] or value.get("ok") is False:
            raise DemoFailed(f"{self.agent}: {tool}: {text}")
        return value

    def does(self, what: str, then: str) -> None:
        """What the agent does with its native tools."""
        self._screen.line(self.agent, what, then)

    def _request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + REPLY_TIMEOUT_S
        while True:
            message: dict[str, Any] = orjson.loads(self._line(deadline))
            if message.get("id") == self._last_id and "method" not in message:
                return message

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._server.stdin is not None
        try:
            self._server.stdin.write(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n")
            self._server.stdin.flush()
        except BrokenPipeError:
            raise DemoFailed(f"{self.agent}: its server has ended") from None

    def _line(self, deadline: float) -> bytes:
        assert self._server.stdout is not None
        fd = self._server.stdout.fileno()
        while b"\n" not in self._held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise DemoFailed(f"{self.agent}: no answer within {REPLY_TIMEOUT_S:g} s")
            chunk = self._server.stdout.read1(_CHUNK)  # type: ignore[attr-defined]  # a BufferedReader
            if not chunk:
                raise DemoFailed(f"{self.agent}: its server has ended")
            self._held += chunk
        line, _, self._held = self._held.partition(b"\n")
        return line
