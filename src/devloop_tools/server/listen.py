"""subscriptions/listen (MCP 2026-07-28): one open request that hears of changes."""

from collections.abc import Mapping

from devloop_tools.frozen import frozen
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import META_SUBSCRIPTION
from devloop_tools.protocol.messages import JsonObject, Request, RequestId
from devloop_tools.server.resources import known_uri
from devloop_tools.server.session import Session
from devloop_tools.server.watching import watch, watch_no_more

MAX_URIS = 1000


@frozen
class Listener:
    """What one open request hears: the part of its wishes that this server can keep.

    `uris` are resources as the client wrote them, with the URI that events name.
    """

    id: RequestId
    tools_changed: bool
    uris: Mapping[str, str]

    def meta(self) -> JsonObject:
        return {META_SUBSCRIPTION: self.id}

    def honoured(self) -> JsonObject:
        """The same as the acknowledgement has it."""
        kept: JsonObject = {"toolsListChanged": True} if self.tools_changed else {}
        return kept | ({"resourceSubscriptions": list(self.uris)} if self.uris else {})


async def listen(session: Session, request: Request) -> JsonObject:
    """Acknowledge, then notify until the client cancels or the server ends."""
    listener = _listener(session, request)
    if listener.uris:
        await watch(session)
    # Nothing may come before the acknowledgement, and nothing may be missed after it.
    params = {"_meta": listener.meta(), "notifications": listener.honoured()}
    session.peer.notify("notifications/subscriptions/acknowledged", params)
    session.listeners[listener.id] = listener
    try:
        await session.peer.closing()
    finally:
        del session.listeners[listener.id]
        watch_no_more(session)
    return {"_meta": listener.meta()}


def announce_tools_changed(session: Session) -> None:
    """Tell everybody who wants to know that the tool list is another."""
    if session.protocol_version is not None:
        session.peer.notify("notifications/tools/list_changed", {})
    for listener in session.listeners.values():
        if listener.tools_changed:
            session.peer.notify("notifications/tools/list_changed", {"_meta": listener.meta()})


def _listener(session: Session, request: Request) -> Listener:
    wishes = request.params.get("notifications")
    if not isinstance(wishes, dict):
        raise RpcError(INVALID_PARAMS, "notifications: an object is expected")
    uris = wishes.get("resourceSubscriptions") or []
    if not isinstance(uris, list) or len(uris) > MAX_URIS:
        raise RpcError(INVALID_PARAMS, f"resourceSubscriptions: at most {MAX_URIS} URIs in a list")
    if not all(isinstance(uri, str) for uri in uris):
        raise RpcError(INVALID_PARAMS, "resourceSubscriptions: a URI is a text")
    known = {uri: named for uri in uris if (named := known_uri(session, uri)) is not None}
    return Listener(request.id, wishes.get("toolsListChanged") is True, known)
