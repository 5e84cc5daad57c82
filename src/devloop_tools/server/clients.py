"""The client of one call, as a tool sees it: made for the era of the request that calls."""

from collections.abc import Awaitable, Callable

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.client_requests import (
    InputRequired,
    asking_by_request,
    asking_by_result,
)
from devloop_tools.server.era import Envelope, claims_modern
from devloop_tools.server.logs import logging_to
from devloop_tools.server.rounds import input_required, this_round
from devloop_tools.server.session import Session
from devloop_tools.toolkit.client import Client


async def with_client(
    session: Session,
    actor: Actor,
    request: Request,
    run: Callable[[Client], Awaitable[JsonObject]],
) -> JsonObject:
    """What `run` returns, or the result that asks the client for what `run` needs."""
    if not claims_modern(request.params, session.offered):
        heard = session.log_level if session.protocol_version else None
        log = logging_to(session, heard)
        return await run(Client(asking_by_request(session.peer, session.capabilities), log))
    envelope = Envelope(request.params, session.offered)
    here = await this_round(session, actor, request)
    log = logging_to(session, envelope.log_level)
    try:
        return await run(Client(asking_by_result(here.answers, envelope.capabilities), log))
    except InputRequired as needed:
        return await input_required(session, here, needed)
