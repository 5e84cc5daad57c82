"""initialize and ping, once more for a client that comes late, and what may run before them."""

from devloop_tools.protocol.errors import METHOD_NOT_FOUND, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server import greeting
from devloop_tools.server.session import Session


async def initialize(session: Session, request: Request) -> JsonObject:
    """Answer as `greeting` does, and remember what was agreed."""
    result = _greeted(session, request)
    session.initialized(result["protocolVersion"], request.params)
    return result


async def ping(session: Session, request: Request) -> JsonObject:
    """Answered promptly, also before `initialize` (MCP, utilities, ping)."""
    return _greeted(session, request)


async def server_discover(session: Session, request: Request) -> JsonObject:
    """What this server speaks and can (MCP 2026-07-28), or a refusal at once."""
    return _greeted(session, request)


def _greeted(session: Session, request: Request) -> JsonObject:
    initialized = session.protocol_version is not None
    body = greeting.answer(request.method, request.params, session.offered, initialized=initialized)
    match body:
        case {"result": dict(result)}:
            return result
        case {"error": {"code": int(code), "message": str(message), **others}}:
            raise RpcError(code, message, others.get("data"))
        case _:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
