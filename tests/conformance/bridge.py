"""A stdio server behind Streamable HTTP, for the conformance suites: they speak HTTP alone.

With `initialize` a session begins, which has a process of its own; requests of the stateless
revision share one. Of HTTP there is what a client needs, and no more: headers that repeat what
the message says are not compared with it.
"""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.conformance.child import Child, Exchange, Json, Program, Stream
from tests.conformance.host import TRIGGER, change_tools

SESSION = "mcp-session-id"
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

_STATUS = {-32700: 400, -32600: 400, -32601: 404, -32020: 400, -32021: 400, -32022: 400}
"""The status that goes with an error (MCP 2026-07-28, Streamable HTTP)."""


class Bridge:
    """Starts a program for each session, and once for all requests that have none."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._sessions: dict[str, Child] = {}
        self._shared: Child | None = None

    def app(self) -> Starlette:
        """The HTTP application, at /mcp."""
        methods = {"POST": self._post, "GET": self._get, "DELETE": self._delete}
        routes = [Route("/mcp", handler, methods=[name]) for name, handler in methods.items()]
        local = Middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1"])
        return Starlette(routes=routes, middleware=[local], lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        yield
        children = [*self._sessions.values(), *([self._shared] if self._shared else [])]
        for child in children:
            await child.close()

    async def _post(self, request: Request) -> Response:
        message = await _message(request)
        if message is None:
            error = {"code": -32700, "message": "Parse error"}
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)
        if request.headers.get(SESSION) is None:
            if message.get("method") != "initialize" or VERSION in _meta(message):
                return await self._stateless(message)
            return await self._begin(message)
        child = self._sessions.get(request.headers[SESSION])
        if child is None:
            return Response(status_code=404)
        return _answered(child, message)

    async def _get(self, request: Request) -> Response:
        child = self._sessions.get(request.headers.get(SESSION, ""))
        if child is None:
            return Response(status_code=405)
        return StreamingResponse(_events(child.other), media_type="text/event-stream")

    async def _delete(self, request: Request) -> Response:
        child = self._sessions.pop(request.headers.get(SESSION, ""), None)
        if child is None:
            return Response(status_code=404)
        await child.close()
        return Response(status_code=200)

    async def _begin(self, message: Json) -> Response:
        session = uuid.uuid4().hex
        child = self._sessions[session] = await Child.start(self._program)
        response = _answered(child, message)
        response.headers[SESSION] = session
        return response

    async def _stateless(self, message: Json) -> Response:
        if self._shared is None or not self._shared.is_alive:
            self._shared = await Child.start(self._program)
        child = self._shared
        if (message.get("params") or {}).get("name") == TRIGGER:
            return JSONResponse(await change_tools(child, message))
        if "id" not in message or "method" not in message:
            child.pass_on(message)
            return Response(status_code=202)
        exchange = child.request(message)
        # The first message decides between one JSON answer, with its status, and a stream.
        first = await exchange.stream.get()
        if first is not None and "method" not in first:
            return JSONResponse(first, _status(first, message))
        return _streamed(child, exchange, first)


def _answered(child: Child, message: Json) -> Response:
    if "id" not in message or "method" not in message:
        child.pass_on(message)
        return Response(status_code=202)
    exchange = child.request(message)
    return StreamingResponse(_events(exchange.stream), media_type="text/event-stream")


def _streamed(child: Child, exchange: Exchange, first: Json | None) -> Response:
    async def events() -> AsyncIterator[bytes]:
        try:
            if first is not None:
                yield _event(first)
                async for event in _events(exchange.stream):
                    yield event
        finally:
            child.abandon(exchange)

    return StreamingResponse(events(), media_type="text/event-stream")


async def _events(stream: Stream) -> AsyncIterator[bytes]:
    while (message := await stream.get()) is not None:
        yield _event(message)


def _event(message: Json) -> bytes:
    return f"event: message\ndata: {json.dumps(message)}\n\n".encode()


async def _message(request: Request) -> Json | None:
    try:
        message: Any = json.loads(await request.body())
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _meta(message: Json) -> Json:
    meta = (message.get("params") or {}).get("_meta")
    return meta if isinstance(meta, dict) else {}


def _status(reply: Json, message: Json) -> int:
    code = reply.get("error", {}).get("code")
    if code == -32602 and not {VERSION, CAPABILITIES} <= _meta(message).keys():
        return 400
    return _STATUS.get(code, 200)
