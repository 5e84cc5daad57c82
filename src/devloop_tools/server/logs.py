"""Messages of tools to the client: logging/setLevel and notifications/message."""

import threading
from collections.abc import Callable
from typing import Any

import anyio.from_thread
import anyio.lowlevel

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import LOG_LEVELS
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.era import NAME
from devloop_tools.server.session import Peer, Session
from devloop_tools.server.values import to_json_value
from devloop_tools.toolkit.client import Log, unheard


async def set_level(session: Session, request: Request) -> JsonObject:
    """From here on, messages below this level are not sent (MCP, utilities, logging)."""
    level = request.params.get("level")
    if level not in LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, f"level: one of {', '.join(LOG_LEVELS)}")
    session.log_level = str(level)
    return {}


def logging_to(peer: Peer, threshold: str | None) -> Log:
    """What sends messages at or above `threshold`; None sends nothing. Made on the event loop."""
    if threshold not in LOG_LEVELS:
        return unheard
    lowest = LOG_LEVELS.index(threshold)
    loop, loop_thread = anyio.lowlevel.current_token(), threading.get_ident()

    def log(level: str, data: Any) -> None:
        if level not in LOG_LEVELS or LOG_LEVELS.index(level) < lowest:
            return
        params = {"level": level, "logger": NAME, "data": to_json_value(data)}
        send: Callable[[], None] = lambda: peer.offer("notifications/message", params)  # noqa: E731 - named for the two ways below
        if threading.get_ident() == loop_thread:
            send()
        else:
            anyio.from_thread.run_sync(send, token=loop)

    return log
