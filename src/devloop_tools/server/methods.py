"""Every method and notification, and what answers it."""

from collections.abc import Callable, Mapping
from functools import partial

from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.dispatcher import Method
from devloop_tools.server.era import LIST_TTL_MS
from devloop_tools.server.lifecycle import initialize, ping, server_discover
from devloop_tools.server.listen import listen
from devloop_tools.server.logs import set_level
from devloop_tools.server.plain import tools as plain
from devloop_tools.server.plain.hooks import hooks_pre_execute
from devloop_tools.server.plain.host_tools import tools_register, tools_unregister
from devloop_tools.server.plain.info import server_info, session_state
from devloop_tools.server.plain.subscription import events_subscribe
from devloop_tools.server.prompts import completion_complete, prompts_get, prompts_list
from devloop_tools.server.resources import (
    resources_list,
    resources_read,
    resources_subscribe,
    resources_templates_list,
    resources_unsubscribe,
)
from devloop_tools.server.session import Session
from devloop_tools.server.tools_call import tools_call
from devloop_tools.server.tools_list import tools_list

_plain = partial(Method, early=True, plain=True)

METHODS: Mapping[str, Method] = {
    "initialize": Method(initialize, early=True),
    "ping": Method(ping, early=True),
    "server/discover": Method(server_discover, early=True),
    "subscriptions/listen": Method(listen, legacy=False, modern=True),
    "tools/list": Method(tools_list, modern=True, ttl_ms=LIST_TTL_MS),
    "tools/call": Method(tools_call, modern=True),
    "resources/list": Method(resources_list, modern=True, ttl_ms=0),
    "resources/templates/list": Method(resources_templates_list, modern=True, ttl_ms=LIST_TTL_MS),
    "resources/read": Method(resources_read, modern=True, ttl_ms=0),
    "resources/subscribe": Method(resources_subscribe),
    "resources/unsubscribe": Method(resources_unsubscribe),
    "prompts/list": Method(prompts_list, modern=True, ttl_ms=LIST_TTL_MS),
    "prompts/get": Method(prompts_get, modern=True),
    "completion/complete": Method(completion_complete, modern=True),
    "logging/setLevel": Method(set_level),
    "server.info": _plain(server_info),
    "session.state": _plain(session_state),
    "tools.list": _plain(plain.tools_list),
    "tools.execute": _plain(plain.tools_execute),
    "tools.register": _plain(tools_register),
    "tools.unregister": _plain(tools_unregister),
    "hooks.pre_execute": _plain(hooks_pre_execute),
    "events.subscribe": _plain(events_subscribe),
}


def _cancelled(session: Session, params: JsonObject) -> None:
    session.peer.cancel(params.get("requestId"))


def _cancel(session: Session, params: JsonObject) -> None:
    session.peer.cancel(params.get("id"))


NOTIFICATIONS: Mapping[str, Callable[[Session, JsonObject], None]] = {
    "notifications/cancelled": _cancelled,
    "$/cancel": _cancel,
}
