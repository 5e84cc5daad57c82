"""events.subscribe: the project's events as they are committed, none missed, none twice."""

from functools import partial

import anyio
from pydantic import Field

from devloop_tools.domain.events import Place, as_object
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.committed import end, next_events
from devloop_tools.server.plain.params import Params, read
from devloop_tools.server.session import Session

POLL_S = 0.04
"""Other processes commit too, so the log is looked at this often; an event is due in 0.1 s."""


class SubscribeParams(Params):
    after: int | None = Field(default=None, ge=0, lt=2**63)


async def events_subscribe(session: Session, request: Request) -> JsonObject:
    """Start sending `event` notifications; a second call replaces the first."""
    after = read(request, SubscribeParams).after
    newest = await end(session)
    if after is not None and after > newest.after:
        # A log that began anew would be heard of when it has grown past that, if ever.
        known = f"the newest is {newest.after}; 0 asks for all there are"
        raise RpcError(INVALID_PARAMS, f"after: {after} is no event yet, {known}")
    if session.subscription is not None:
        session.subscription.cancel()
    session.subscription = scope = anyio.CancelScope()
    start = newest if after is None else Place(after, newest.generation)
    # It runs after this, so that the answer to the subscription leaves first.
    session.peer.start(partial(_send_events, session, scope, start))
    return {"ok": True, "last_id": newest.after}


async def _send_events(session: Session, scope: anyio.CancelScope, place: Place) -> None:
    with scope:
        while not scope.cancel_called:
            page, place = await next_events(session, place, POLL_S)
            for event in page:
                await session.peer.ready()
                # A page may have arrived in the moment in which another subscription began.
                if scope.cancel_called:
                    return
                session.peer.notify("event", as_object(event))
