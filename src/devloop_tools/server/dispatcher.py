"""Method and params to an answer.

jsonrpcserver resolves: is there such a method, and which error object says that there isn't? The
work it returns runs in the connection's own task: its async dispatch would run it under
`asyncio.gather`, where a shield no longer protects cleanup from a cancel, and would put the text
of exceptions on the wire.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from devloop_tools.protocol.errors import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    RpcError,
)
from devloop_tools.protocol.mcp import BATCH_VERSIONS
from devloop_tools.protocol.messages import JsonObject, Notification, Request
from devloop_tools.server.resolution import resolve, success
from devloop_tools.server.session import Session

Work = Callable[[Session, Request], Awaitable[JsonObject]]

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Method:
    """What answers a method; `early` ones also before `initialize`."""

    work: Work
    early: bool = False


class Dispatcher:
    """Answers requests of one session."""

    def __init__(
        self,
        session: Session,
        methods: Mapping[str, Method],
        notifications: Mapping[str, Callable[[Session, JsonObject], None]],
    ) -> None:
        self._session = session
        self._notifications = notifications
        self._resolvable = {name: _returning(method) for name, method in methods.items()}

    @property
    def takes_batches(self) -> bool:
        """Only in the revisions of MCP that had batches."""
        return self._session.protocol_version in BATCH_VERSIONS

    async def request(self, request: Request) -> JsonObject:
        """The `result` or `error` member of the reply."""
        try:
            method = self._resolve(request)
            if self._session.protocol_version is None and not method.early:
                raise RpcError(INVALID_REQUEST, f"{request.method} comes after initialize")
            return {"result": await method.work(self._session, request)}
        except RpcError as exc:
            return exc.body()
        except Exception:
            # Ours, not the tool's: the client learns no more than that.
            _logger.exception("%s failed", request.method)
            return RpcError(INTERNAL_ERROR, "Internal error").body()

    def notification(self, notification: Notification) -> None:
        """Take it if it is known; others are ignored, as JSON-RPC 2.0 section 4.1 asks."""
        take = self._notifications.get(notification.method)
        if take is not None:
            take(self._session, notification.params)

    def _resolve(self, request: Request) -> Method:
        envelope = {"jsonrpc": "2.0", "id": request.id, "method": request.method}
        resolved = resolve(envelope, self._resolvable)
        if "error" in resolved:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        method: Method = resolved["result"]
        return method


def _returning(method: Method) -> Callable[[], Any]:
    return partial(success, method)
