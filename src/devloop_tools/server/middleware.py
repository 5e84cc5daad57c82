"""What happens around every call, whichever way it came in: it is measured, noted and reported."""

import logging

import anyio.to_thread

from devloop_tools.domain.events import EventType
from devloop_tools.domain.timeline import Level
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.actors import Actor
from devloop_tools.server.admission import Admission, Denied
from devloop_tools.server.execution import (
    Call,
    Crashed,
    Finished,
    Invalid,
    Outcome,
    OutsideSandbox,
    execute,
    timed,
)
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError

_logger = logging.getLogger(__name__)


async def run_call(session: Session, call: Call) -> Outcome:
    """Run the call; a failure leaves a timeline line and an event, a crash also an escalation.

    Where agents share the process, it waits for its agent's turn. Raises RpcError where the agent
    has too many calls open.
    """
    if not session.actors.takes_context:
        return await _run(session, call)
    # An async tool takes no thread, and what it waits for may be another call of the same agent.
    waits = call.entry.is_loaded and call.definition.is_async
    async with session.turns.of(call.origin.agent, works=not waits):
        return await _run(session, call)


async def _run(session: Session, call: Call) -> Outcome:
    elapsed, admission = timed(), Admission(call.actor.policy, call.entry)
    outcome = await execute(session, call, admission)
    fact: JsonObject = {"tool": call.entry.name, "duration_ms": elapsed()}
    if admission.verdict:
        fact["rule"] = admission.verdict.rule
    failure = _failure_of(outcome)
    if isinstance(outcome, Denied):
        session.events.note(call.origin, EventType.POLICY_REFUSED, outcome.trace)
    elif failure is None:
        session.events.note(call.origin, EventType.TOOL_CALLED, {**fact, "ok": True})
    else:
        await anyio.to_thread.run_sync(
            _report, session, call, outcome, failure, fact, limiter=session.threads
        )
    if isinstance(outcome, Crashed) and session.hears_escalations:
        session.peer.notify("escalation", _escalation(call, outcome))
    return outcome


def find_granted(session: Session, actor: Actor, name: str, call_id: object) -> ToolEntry:
    """The tool of this name. An unknown and a forbidden one read the same: RpcError -32602.

    That a tool was refused is an event, for the people who wrote the policy.
    """
    if entry := session.granted(actor, name):
        return entry
    if name in session.actors.registry.entries or name in session.host_tools:
        trace = actor.policy.trace(actor.policy.decide(name, namespace=_namespace(session, name)))
        session.events.note(actor.origin(call_id), EventType.POLICY_REFUSED, trace)
    raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")


def _namespace(session: Session, name: str) -> str:
    entry = session.actors.registry.entries.get(name) or session.host_tools[name]
    return entry.namespace


def _failure_of(outcome: Outcome) -> str | None:
    """Why the call did not do its work; None if it did."""
    match outcome:
        case Finished():
            return outcome.refusal
        case Invalid() | Denied():
            return outcome.text
        case OutsideSandbox():
            return f"{outcome.path}: {outcome.reason}"
        case Crashed():
            return outcome.message


def _report(session: Session, call: Call, outcome: Outcome, failure: str, fact: JsonObject) -> None:
    tool = call.entry.name
    crashed = isinstance(outcome, Crashed)
    try:
        context = session.make_context(
            call.actor.workspace, call.origin, call.progress, call.client
        )
        context.timeline.append(
            "tool.crashed" if crashed else "tool.failed",
            summary=f"{tool}: {failure}"[:2000],
            level=Level.ERROR if crashed else Level.WARN,
        )
    except (ExpectedFailure, StorageError, ToolSandboxError, OSError) as exc:
        # The caller's answer is worth more than the line about it.
        _logger.warning("timeline: %s", exc)
    if isinstance(outcome, Crashed):
        _escalate(session, call, outcome, fact)
    else:
        session.events.note(call.origin, EventType.TOOL_FAILED, {**fact, "reason": failure})


def _escalate(session: Session, call: Call, crash: Crashed, fact: JsonObject) -> None:
    _logger.error("%s %s\n%s", crash.tool, crash.error_id, crash.traceback)
    known = {"error_id": crash.error_id, "message": crash.message}
    session.events.note(
        call.origin, EventType.TOOL_CRASHED, {**fact, **known, "frames": list(crash.frames)}
    )
    session.events.note(call.origin, EventType.ESCALATION, _escalation(call, crash))
    try:
        session.events.flush()
    except StorageError as exc:
        _logger.warning("events: %s", exc)


def _escalation(call: Call, crash: Crashed) -> JsonObject:
    return {
        "level": "L3",
        "error_id": crash.error_id,
        "tool": crash.tool,
        "agent": call.origin.agent,
        "message": crash.message,
    }
