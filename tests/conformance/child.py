"""The stdio side of the bridge: one server process that several HTTP requests share.

Each request gets a number of its own on the way in, and so does its progress token; on the way
back they become what the client wrote. So two clients that both count from one don't meet.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import IO, Any

Json = dict[str, Any]
Stream = asyncio.Queue[Json | None]
"""Messages for one HTTP stream; None ends it."""

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LONGEST_LINE = 64 * 1024 * 1024
PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """What is started. What it writes to stderr goes to `log`."""

    words: Sequence[str]
    env: Mapping[str, str]
    log: IO[bytes]


@dataclass(eq=False, slots=True)
class Exchange:
    """One request that is open: what its client called it, and what has come for it."""

    number: int
    request_id: Any
    token: Any = None
    stream: Stream = field(default_factory=asyncio.Queue)


class Child:
    """A server process. `other` takes what belongs to no request in particular."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.other: Stream = asyncio.Queue()
        self._process = process
        self._numbers = count(1)
        self._open: dict[int, Exchange] = {}
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, program: Program) -> "Child":
        """Start it."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *program.words, env=program.env,
            stdin=pipe, stdout=pipe, stderr=program.log, limit=LONGEST_LINE,
        )  # fmt: skip
        return cls(process)

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    def request(self, message: Json) -> Exchange:
        """Pass a request on; what comes of it is in the exchange's stream."""
        exchange = Exchange(next(self._numbers), message["id"])
        self._open[exchange.number] = exchange
        meta = (message.get("params") or {}).get("_meta") or {}
        if "progressToken" in meta:
            exchange.token = meta["progressToken"]
            meta = {**meta, "progressToken": exchange.number}
            message = {**message, "params": {**message["params"], "_meta": meta}}
        self._write({**message, "id": exchange.number})
        return exchange

    def pass_on(self, message: Json) -> None:
        """Pass a notification or a response on."""
        if message.get("method") == "notifications/cancelled":
            wanted = message["params"]["requestId"]
            for exchange in self._open.values():
                if exchange.request_id == wanted:
                    params = {**message["params"], "requestId": exchange.number}
                    self._write({**message, "params": params})
        else:
            self._write(message)

    def abandon(self, exchange: Exchange) -> None:
        """The client no longer listens: in the stateless revision that cancels."""
        if self._open.pop(exchange.number, None) is not None and self.is_alive:
            params = {"requestId": exchange.number}
            method = "notifications/cancelled"
            self._write({"jsonrpc": "2.0", "method": method, "params": params})

    async def close(self) -> None:
        """End the input, as a client that leaves does, and wait for the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), PATIENCE_S)
        except TimeoutError:
            self._process.kill()
        await self._reader

    def _write(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._deliver(json.loads(line))
        for exchange in self._open.values():
            exchange.stream.put_nowait(None)
        self.other.put_nowait(None)

    def _deliver(self, message: Json) -> None:
        if "method" not in message:
            exchange = self._open.pop(message["id"], None)
            if exchange is not None:
                _restore(message.get("result"), exchange)
                exchange.stream.put_nowait({**message, "id": exchange.request_id})
                exchange.stream.put_nowait(None)
            return
        owner = self._owner(message)
        if owner is None:
            self.other.put_nowait(message)
        else:
            _restore(message.get("params"), owner)
            owner.stream.put_nowait(message)

    def _owner(self, message: Json) -> Exchange | None:
        """The request that a message belongs to. Stdio names it only for some."""
        params = message.get("params") or {}
        number = params.get("progressToken", params.get("_meta", {}).get(SUBSCRIPTION))
        if number is not None:
            return self._open.get(number)
        if "id" in message or message["method"] == "notifications/message":
            return next(reversed(self._open.values()), None)
        return None


def _restore(body: Any, exchange: Exchange) -> None:
    """Put back what the client wrote where the number stands."""
    if not isinstance(body, dict):
        return
    if "progressToken" in body:
        body["progressToken"] = exchange.token
    meta = body.get("_meta")
    if isinstance(meta, dict) and SUBSCRIPTION in meta:
        meta[SUBSCRIPTION] = exchange.request_id
