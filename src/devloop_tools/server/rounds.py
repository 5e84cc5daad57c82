"""Multi round-trip requests (MCP 2026-07-28): what the client brings back, and what it is asked."""

import anyio.to_thread

from devloop_tools.domain.sealed_state import BadState, Binding
from devloop_tools.frozen import frozen
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.client_requests import InputRequired
from devloop_tools.server.session import Session

_OF_A_ROUND = frozenset({"_meta", "inputResponses", "requestState"})


@frozen
class Round:
    """One run of a request; `answers` are all that the client has given so far."""

    binding: Binding
    answers: dict[str, JsonObject]


async def this_round(session: Session, actor: Actor, request: Request) -> Round:
    """What came with the request. Raises RpcError -32602 for a state that isn't taken."""
    params = {name: value for name, value in request.params.items() if name not in _OF_A_ROUND}
    principal = f"{actor.project_id}/{actor.agent}/{actor.unit_id or ''}"
    binding = Binding(principal, request.method, params)
    state, given = request.params.get("requestState"), _answers(request)
    if state is None:
        # A client may know what will be asked.
        return Round(binding, given)
    if not isinstance(state, str):
        raise RpcError(INVALID_PARAMS, "requestState must be the text that was given out")
    try:
        content = await anyio.to_thread.run_sync(
            session.states.open, binding, state, limiter=session.threads
        )
    except BadState as exc:
        raise RpcError(INVALID_PARAMS, str(exc)) from None
    asked = set(content["asked"])
    wanted = {key: answer for key, answer in given.items() if key in asked}
    return Round(binding, {**content["answers"], **wanted})


async def input_required(session: Session, done: Round, needed: InputRequired) -> JsonObject:
    """The result that asks; the answers so far travel with it."""
    content = {"answers": done.answers, "asked": sorted(needed.questions)}
    try:
        state = await anyio.to_thread.run_sync(
            session.states.seal, done.binding, content, limiter=session.threads
        )
    except BadState as exc:
        raise RpcError(INVALID_PARAMS, str(exc)) from None
    requests = {
        key: {"method": question.method, "params": question.params}
        for key, question in needed.questions.items()
    }
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


def _answers(request: Request) -> dict[str, JsonObject]:
    """What came along, by key; what is no object is no answer, and is asked for again."""
    given = request.params.get("inputResponses")
    if not isinstance(given, dict):
        return {}
    return {key: answer for key, answer in given.items() if isinstance(answer, dict)}
