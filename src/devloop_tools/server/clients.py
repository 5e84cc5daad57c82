"""The client of one call, as a tool sees it: made for the era of the request that calls."""

from collections.abc import Awaitable, Callable

from devloop_tools.protocol.errors import INTERNAL_ERROR, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.client_requests import (
    CapabilityMissing,
    InputRequired,
    asking_by_request,
    asking_by_result,
)
from devloop_tools.server.era import Envelope, claims_modern
from devloop_tools.server.logs import logging_to
from devloop_tools.server.rounds import input_required, this_round
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.toolkit.client import Client

Run = Callable[[Client], Awaitable[JsonObject]]


async def with_client(session: Session, actor: Actor, request: Request, run: Run) -> JsonObject:
    """What `run` returns, or the result that asks the client for what `run` needs."""
    try:
        if claims_modern(request.params, session.offered):
            return await _in_rounds(session, actor, request, run)
        heard = session.log_level if session.protocol_version else None
        log = logging_to(session, heard)
        return await run(Client(asking_by_request(session.peer, session.capabilities), log))
    except CapabilityMissing as exc:
        raise exc.error from None
    except ExpectedFailure as exc:
        # A tool's result says so itself; those of prompts and resources have no place for it.
        raise RpcError(INTERNAL_ERROR, exc.reason) from None


async def _in_rounds(session: Session, actor: Actor, request: Request, run: Run) -> JsonObject:
    envelope = Envelope(request.params, session.offered)
    here = await this_round(session, actor, request)
    log = logging_to(session, envelope.log_level)
    try:
        return await run(Client(asking_by_result(here.answers, envelope.capabilities), log))
    except InputRequired as needed:
        return await input_required(session, here, needed)
