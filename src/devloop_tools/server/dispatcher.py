"""Method and params to an answer.

jsonrpcserver resolves: is there such a method, and which error object says that there isn't? The
work it returns runs in the connection's own task: its async dispatch would run it under
`asyncio.gather`, where a shield no longer protects cleanup from a cancel, and would put the text
of exceptions on the wire.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.protocol.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    RpcError,
)
from devloop_tools.protocol.mcp import BATCH_VERSIONS, META_VERSION
from devloop_tools.protocol.messages import JsonObject, Notification, Request
from devloop_tools.server.era import (
    LEGACY_ONLY,
    MODERN_ONLY,
    Envelope,
    claims_modern,
    enveloped,
)
from devloop_tools.server.resolution import resolve, success
from devloop_tools.server.session import Session

Work = Callable[[Session, Request], Awaitable[JsonObject]]

_logger = logging.getLogger(__name__)


@frozen
class Method:
    """What answers a method; `early` ones also before `initialize`, `plain` ones no MCP client."""

    work: Work
    early: bool = False
    legacy: bool = True
    modern: bool = False
    plain: bool = False
    ttl_ms: int | None = None
    """How long a modern client may keep the result, in milliseconds; None: not at all."""


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
        self._resolved: dict[str, Method] = {}

    @property
    def takes_batches(self) -> bool:
        """Only in the revisions of MCP that had batches."""
        return self._session.protocol_version in BATCH_VERSIONS

    async def request(self, request: Request) -> JsonObject:
        """The `result` or `error` member of the reply."""
        try:
            method = self._resolve(request)
            self._session.is_host |= method.plain
            if not method.early and claims_modern(request.params, self._session.offered):
                return {"result": await self._modern(method, request)}
            self._require_legacy(method, request)
            return {"result": await method.work(self._session, request)}
        except RpcError as exc:
            return exc.body()
        except Exception:
            # Ours, not the tool's: the client learns no more than that.
            _logger.exception("%s failed", request.method)
            return RpcError(INTERNAL_ERROR, "Internal error").body()

    async def _modern(self, method: Method, request: Request) -> JsonObject:
        if not method.modern:
            raise _not_found(request)
        Envelope(request.params, self._session.offered)
        result = await method.work(self._session, request)
        return enveloped(result, ttl_ms=method.ttl_ms)

    def _require_legacy(self, method: Method, request: Request) -> None:
        """A request without the envelope belongs to the older era, or to plain JSON-RPC."""
        initialized = self._session.protocol_version is not None
        if method.early:
            return
        if not method.legacy and (initialized or self._session.offered == LEGACY_ONLY):
            raise _not_found(request)
        if not method.legacy or self._session.offered == MODERN_ONLY:
            raise RpcError(INVALID_PARAMS, f"_meta: {META_VERSION} is required")
        if not initialized:
            raise RpcError(INVALID_REQUEST, f"{request.method} comes after initialize")

    def notification(self, notification: Notification) -> None:
        """Take it if it is known; others are ignored, as JSON-RPC 2.0 section 4.1 asks."""
        take = self._notifications.get(notification.method)
        if take is not None:
            take(self._session, notification.params)

    def _resolve(self, request: Request) -> Method:
        # The methods are frozen, so that one that was found is found again.
        if found := self._resolved.get(request.method):
            return found
        envelope = {"jsonrpc": "2.0", "id": request.id, "method": request.method}
        resolved = resolve(envelope, self._resolvable)
        if "error" in resolved:
            raise _not_found(request)
        method: Method = resolved["result"]
        self._resolved[request.method] = method
        return method


def _not_found(request: Request) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")


def _returning(method: Method) -> Callable[[], Any]:
    return partial(success, method)
