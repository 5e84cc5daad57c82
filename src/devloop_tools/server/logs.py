"""Messages of tools to the client: logging/setLevel and notifications/message."""

from typing import Any

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import LOG_LEVELS
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.era import NAME
from devloop_tools.server.session import Session
from devloop_tools.server.values import to_json_value
from devloop_tools.toolkit.client import Log, unheard


async def set_level(session: Session, request: Request) -> JsonObject:
    """From here on, messages below this level are not sent (MCP, utilities, logging)."""
    level = request.params.get("level")
    if level not in LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, f"level: one of {', '.join(LOG_LEVELS)}")
    session.log_level = str(level)
    return {}


def logging_to(session: Session, threshold: str | None) -> Log:
    """What sends messages at or above `threshold`, from any thread; None sends nothing."""
    if threshold not in LOG_LEVELS:
        return unheard
    lowest = LOG_LEVELS.index(threshold)

    def log(level: str, data: Any) -> None:
        if level in LOG_LEVELS and LOG_LEVELS.index(level) >= lowest:
            params = {"level": level, "logger": NAME, "data": to_json_value(data)}
            session.loop.call(session.peer.offer, "notifications/message", params)

    return log
