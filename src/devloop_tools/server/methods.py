"""Every method and notification, and what answers it."""

from collections.abc import Callable, Mapping

from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.dispatcher import Method
from devloop_tools.server.lifecycle import initialize, ping, server_discover
from devloop_tools.server.session import Session
from devloop_tools.server.tools_call import tools_call
from devloop_tools.server.tools_list import tools_list

METHODS: Mapping[str, Method] = {
    "initialize": Method(initialize, early=True),
    "ping": Method(ping, early=True),
    "server/discover": Method(server_discover, early=True),
    "tools/list": Method(tools_list),
    "tools/call": Method(tools_call),
}


def _cancelled(session: Session, params: JsonObject) -> None:
    session.peer.cancel(params.get("requestId"))


NOTIFICATIONS: Mapping[str, Callable[[Session, JsonObject], None]] = {
    "notifications/cancelled": _cancelled,
}
