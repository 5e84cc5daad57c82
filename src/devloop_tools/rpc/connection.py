"""One duplex JSON-RPC connection: reads, runs a task a request, cancels, answers in one place.

Deliberately without MCP meaning: what a message says is the handler's business.
"""

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import anyio
from anyio import TaskHandle
from anyio.abc import TaskGroup

from devloop_tools.protocol.codec import decode, encode, encode_batch
from devloop_tools.protocol.errors import INTERNAL_ERROR, INVALID_REQUEST, RpcError
from devloop_tools.protocol.messages import (
    Batch,
    JsonObject,
    Malformed,
    Message,
    Notification,
    Request,
    RequestId,
    Response,
)
from devloop_tools.rpc.process import GRACE_S
from devloop_tools.rpc.transport import PeerError, PeerGone, Transport

MAX_IN_FLIGHT = 4096
"""More open requests than this are a fault of the peer, and refused."""

_CLOSED = "the peer has closed the connection"
_NO_BATCH = "a batch belongs to MCP up to 2025-03-26; send each message as a line of its own"

_logger = logging.getLogger(__name__)


class Handler(Protocol):
    """Gives messages their meaning."""

    async def request(self, request: Request) -> JsonObject:
        """The `result` or `error` member of the reply. Raises nothing."""
        ...

    def notification(self, notification: Notification) -> None: ...

    @property
    def takes_batches(self) -> bool: ...


class Connection:
    """Owns the in-flight table. Requests run concurrently; notifications are taken in order.

    `on_closing` is called once, when no more is read and calls get their grace.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        on_closing: Callable[[], None] = lambda: None,
        max_in_flight: int = MAX_IN_FLIGHT,
    ) -> None:
        self._transport = transport
        self._max_in_flight = max_in_flight
        self._on_closing = on_closing
        self._in_flight: dict[tuple[type, RequestId], TaskHandle[None]] = {}
        self._idle = anyio.Event()
        self._reading = anyio.CancelScope()
        self._tasks: TaskGroup | None = None
        self._asked: dict[RequestId, _Question] = {}
        self._last_asked = 0
        self._closing = anyio.Event()

    async def run(self, handler: Handler) -> None:
        """Until the input ends, `stop` is called or the peer is gone; then the grace."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._write)
            with self._reading:
                while (line := await self._transport.receive()) is not None:
                    self._accept(line, handler, tasks)
                    await self._transport.ready()
            self._on_closing()
            self._closing.set()
            for question in self._asked.values():
                question.answered({"error": {"message": _CLOSED}})
            await self._settle()
            tasks.cancel_scope.cancel()

    def stop(self) -> None:
        """Read no more. Safe to call twice."""
        self._reading.cancel()

    def cancel(self, request_id: object) -> None:
        """Cancel the request with this id; unknown and finished ones are ignored."""
        if isinstance(request_id, int | str):
            task = self._in_flight.get((type(request_id), request_id))
            if task is not None:
                task.cancel()

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification to the peer."""
        self._transport.send(encode({"method": method, "params": params}))

    def offer(self, method: str, params: JsonObject) -> None:
        """Send a notification that can be missed: a peer that reads too slowly doesn't get it."""
        if not self._transport.is_full():
            self.notify(method, params)

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `work` beside the requests until the connection ends."""
        if self._tasks is not None:
            self._tasks.start_soon(work)

    async def closing(self) -> None:
        """Wait until no more is read, and calls get their grace."""
        await self._closing.wait()

    async def ready(self) -> None:
        """Wait until the peer has taken enough for more to be sent."""
        await self._transport.ready()

    async def request(
        self,
        method: str,
        params: JsonObject,
        timeout_s: float,
        cancel: tuple[str, str] = ("$/cancel", "id"),
    ) -> Any:
        """Ask the peer and return its result. Raises PeerError: it refused, left or is too slow.

        `cancel` is the notification that takes the question back, and its field for the id.
        """
        if self._closing.is_set():
            raise PeerError(f"{method}: {_CLOSED}")
        self._last_asked += 1
        asked = f"srv-{self._last_asked}"
        question = self._asked[asked] = _Question()
        self._transport.send(encode({"id": asked, "method": method, "params": params}))
        try:
            with anyio.move_on_after(timeout_s):
                await question.settled.wait()
        finally:
            del self._asked[asked]
            if question.body is None:
                self.notify(cancel[0], {cancel[1]: asked})
        if question.body is None:
            raise PeerError(f"{method}: no answer within {timeout_s:g} s")
        if "error" in question.body:
            raise PeerError(f"{method}: {_message_of(question.body['error'])}")
        return question.body.get("result")

    async def _write(self) -> None:
        try:
            await self._transport.write_queued()
        except PeerGone:
            self.stop()

    def _accept(self, line: bytes, handler: Handler, tasks: TaskGroup) -> None:
        message = decode(line)
        if not isinstance(message, Batch):
            self._take(message, handler, tasks, self._send)
        elif handler.takes_batches:
            self._take_batch(message, handler, tasks)
        else:
            self._send(_refusal(None, _NO_BATCH))

    def _take_batch(self, batch: Batch, handler: Handler, tasks: TaskGroup) -> None:
        """All replies leave in one array, when the last one is there."""
        expected = sum(isinstance(item, Request | Malformed) for item in batch.items)
        collected: list[bytes] = []

        def collect(reply: JsonObject | None) -> None:
            nonlocal expected
            if reply is None:
                expected -= 1
            else:
                collected.append(_line(reply))
            if collected and len(collected) == expected:
                self._transport.send(encode_batch(collected))

        for item in batch.items:
            self._take(item, handler, tasks, collect)

    def _take(
        self,
        message: Message,
        handler: Handler,
        tasks: TaskGroup,
        reply: Callable[[JsonObject | None], None],
    ) -> None:
        match message:
            case Request():
                key = (type(message.id), message.id)
                if key in self._in_flight:
                    reply(_refusal(None, f"the id {message.id!r} is still in flight"))
                    return
                if len(self._in_flight) >= self._max_in_flight:
                    reply(_refusal(message.id, f"{self._max_in_flight} requests are in flight"))
                    return
                # In the table before the next line is read, so that a cancel always finds it.
                self._in_flight[key] = tasks.start_soon(self._answer, message, handler, reply)
            case Notification():
                handler.notification(message)
            case Malformed(answers=True) if question := self._asked.get(message.id or ""):
                # Whoever waits for it would wait to the end for another.
                question.answered({"error": {"message": f"no answer: {message.error.message}"}})
            case Malformed():
                reply({"id": message.id, **message.error.body()})
            case Response():
                # Routed here, never dispatched; one that nobody waits for came too late.
                if question := self._asked.get(message.id or ""):
                    question.answered(message.body)

    async def _answer(
        self,
        request: Request,
        handler: Handler,
        reply: Callable[[JsonObject | None], None],
    ) -> None:
        key = (type(request.id), request.id)
        body: JsonObject | None = None
        try:
            if not _is_cancelled(self._in_flight[key]):
                body = await handler.request(request)
        finally:
            task = self._in_flight.pop(key)
            if not self._in_flight:
                self._idle.set()
            # A handler that swallowed its cancellation isn't answered either.
            reply(None if body is None or _is_cancelled(task) else {"id": request.id, **body})

    def _send(self, reply: JsonObject | None) -> None:
        if reply is not None:
            self._transport.send(_line(reply), last=not self._in_flight)

    async def _settle(self) -> None:
        with anyio.move_on_after(GRACE_S):
            while self._in_flight:
                self._idle = anyio.Event()
                await self._idle.wait()
            await self._transport.flush()


class _Question:
    """A request of ours that the peer has not answered yet."""

    def __init__(self) -> None:
        self.settled = anyio.Event()
        self.body: JsonObject | None = None

    def answered(self, body: JsonObject) -> None:
        if self.body is None:
            self.body = body
            self.settled.set()


def _is_cancelled(task: TaskHandle[None]) -> bool:
    return task.status is TaskHandle.Status.CANCELLING


def _message_of(error: Any) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def _line(reply: JsonObject) -> bytes:
    try:
        return encode(reply)
    except TypeError as exc:
        _logger.error("the reply to %r: %s", reply["id"], exc)
        error = RpcError(INTERNAL_ERROR, "Internal error: the result is not JSON")
        return encode({"id": reply["id"], **error.body()})


def _refusal(request_id: RequestId | None, why: str) -> JsonObject:
    return {"id": request_id, **RpcError(INVALID_REQUEST, f"Invalid request: {why}").body()}
