"""hooks.pre_execute: an ordered list of checks before a tool runs; the first refusal wins."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.names import CLI_PREFIX
from devloop_tools.registry.reasons import why
from devloop_tools.server.actors import Actor
from devloop_tools.server.native_calls import rule_on_call
from devloop_tools.server.plain.params import CallerContext, Params, acting, read
from devloop_tools.server.policy_check import record
from devloop_tools.server.session import Session


class HookParams(Params):
    tool: str = Field(min_length=1)
    input: dict[str, Any] | None = None
    ctx: CallerContext | None = None


Hook = Callable[[Session, Actor, HookParams], str | None]
"""The reason to refuse the call, or None."""


async def hooks_pre_execute(session: Session, request: Request) -> JsonObject:
    """Whether the call may go on: `{ok: true}`, or `{ok: false, reason}`."""
    params = read(request, HookParams)
    reason = first_refusal(HOOKS, session, acting(session, params.ctx), params)
    return {"ok": True} if reason is None else {"ok": False, "reason": reason}


def first_refusal(
    hooks: Sequence[Hook], session: Session, actor: Actor, params: HookParams
) -> str | None:
    """What the first hook that refuses says; those behind it aren't asked."""
    return next((reason for hook in hooks if (reason := hook(session, actor, params))), None)


def _ruled(session: Session, actor: Actor, params: HookParams) -> str | None:
    """The ruling on a tool of the client's own: policy, paths, and what a command holds."""
    if _own(session, params.tool) is not None:
        return None
    ruling = rule_on_call(actor.grounds, params.tool, params.input or {})
    record(session, actor, params.ctx.call_id if params.ctx else None, ruling)
    return ruling.reason or None


def _granted(session: Session, actor: Actor, params: HookParams) -> str | None:
    """The policy's verdict on one of our tools; it is asked again when the tool is called."""
    entry = _own(session, params.tool)
    if entry is None:
        return None
    verdict = actor.policy.decide(entry.name, params.input or {}, namespace=entry.namespace)
    return None if verdict.grants else why(actor.policy, verdict, entry.namespace)


def _own(session: Session, tool: str) -> ToolEntry | None:
    name = tool.removeprefix(CLI_PREFIX)
    return session.actors.registry.entries.get(name) or session.host_tools.get(name)


HOOKS: tuple[Hook, ...] = (_ruled, _granted)
