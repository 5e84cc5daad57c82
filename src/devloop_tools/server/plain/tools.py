"""tools.list and tools.execute: the registry without MCP's handshake."""

from functools import partial
from typing import Any, assert_never

from pydantic import Field

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request, RequestId
from devloop_tools.server.admission import Denied
from devloop_tools.server.execution import (
    Call,
    Crashed,
    Finished,
    Invalid,
    Outcome,
    OutsideSandbox,
)
from devloop_tools.server.middleware import find_granted, run_call
from devloop_tools.server.plain.params import CallerContext, Params, acting, read
from devloop_tools.server.progress import reporting
from devloop_tools.server.session import Peer, Session
from devloop_tools.server.tools_list import shown
from devloop_tools.toolkit.client import NO_CLIENT
from devloop_tools.toolkit.schema import flat_root

VALIDATION = 4001
SANDBOX = 4003
DENIED = 4010
CRASH = 5000


class ListParams(Params):
    agent: str | None = Field(default=None, min_length=1, max_length=64)


class ExecuteParams(Params):
    name: str
    input: dict[str, Any] | None = None
    ctx: CallerContext | None = None
    progress: bool = False


async def tools_list(session: Session, request: Request) -> JsonObject:
    """What an agent is granted, by name."""
    agent = read(request, ListParams).agent
    if agent is not None and not session.actors.takes_context:
        raise RpcError(INVALID_PARAMS, "agent needs serve --host")
    actor = acting(session, CallerContext(agent=agent) if agent else None, works=False)
    tools = [
        {
            "name": entry.name,
            "description": entry.published.description,
            "input_schema": flat_root(entry.published.input_schema),
        }
        for entry in shown(session.catalog(actor).entries())
    ]
    return {"tools": tools}


async def tools_execute(session: Session, request: Request) -> JsonObject:
    """Run a tool and return its own JSON. An unknown and a forbidden one read the same."""
    params = read(request, ExecuteParams)
    actor = acting(session, params.ctx)
    call_id = params.ctx.call_id if params.ctx else None
    entry = find_granted(session, actor, params.name, call_id)
    send = partial(_send_progress, session.peer, request.id)
    with reporting(send, session.loop, wanted=params.progress) as progress:
        origin = actor.origin(call_id)
        call = Call(actor, entry, params.input or {}, origin, progress, NO_CLIENT)
        outcome = await run_call(session, call)
    return _result(outcome)


def _send_progress(peer: Peer, request_id: RequestId, fact: JsonObject) -> None:
    peer.offer("progress", {"id": request_id, **fact})


def _result(outcome: Outcome) -> JsonObject:
    match outcome:
        case Finished(blocks=blocks) if blocks:
            return {"ok": True, "content": list(blocks)}
        case Finished(value=dict() as value):
            return value
        case Finished(value=str() as text):
            return {"ok": True, "text": text}
        case Finished(value=value):
            return {"ok": True, "value": value}
        case Invalid():
            raise RpcError(VALIDATION, outcome.text, _validation(outcome))
        case Denied():
            fact = {"reason": outcome.text, "rule": outcome.trace["rule"]}
            raise RpcError(DENIED, outcome.text, {"kind": "denied", **fact})
        case OutsideSandbox():
            fact = {"path": outcome.path, "agent": outcome.agent, "reason": outcome.reason}
            text = f"{outcome.path}: {outcome.reason}"
            raise RpcError(SANDBOX, text, {"kind": "sandbox", **fact})
        case Crashed():
            known = {"error_id": outcome.error_id, "frames": list(outcome.frames)}
            text = f"{outcome.tool} failed: {outcome.message}"
            raise RpcError(CRASH, text, {"kind": "crash", **known})
        case _:
            assert_never(outcome)


def _validation(outcome: Invalid) -> JsonObject:
    """The first fault by itself, and all of them."""
    faults = [
        {"field": problem.field, "reason": problem.reason, "allowed": problem.allowed}
        for problem in outcome.problems
    ]
    return {"kind": "validation", **faults[0], "faults": faults}
