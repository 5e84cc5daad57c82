"""initialize and ping, once more for a client that comes late, and what may run before them."""

from devloop_tools.protocol.errors import METHOD_NOT_FOUND, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server import greeting
from devloop_tools.server.session import Session


async def initialize(session: Session, request: Request) -> JsonObject:
    """Answer as `greeting` does, and remember what was agreed."""
    result = _greeted(request)
    session.initialized(result["protocolVersion"], request.params)
    return result


async def ping(_session: Session, request: Request) -> JsonObject:
    """Answered promptly, also before `initialize` (MCP, utilities, ping)."""
    return _greeted(request)


async def server_discover(_session: Session, request: Request) -> JsonObject:
    """Refused at once, so that the client falls back on `initialize`."""
    return _greeted(request)


def _greeted(request: Request) -> JsonObject:
    match greeting.answer(request.method, request.params):
        case {"result": dict(result)}:
            return result
        case {"error": {"code": int(code), "message": str(message)}}:
            raise RpcError(code, message)
        case _:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
