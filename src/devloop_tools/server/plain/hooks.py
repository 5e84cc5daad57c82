"""hooks.pre_execute: an ordered list of checks before a tool runs; the first refusal wins."""

from collections.abc import Callable
from typing import Any

from pydantic import Field

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.plain.params import CallerContext, Params, acting, read
from devloop_tools.server.session import Session


class HookParams(Params):
    tool: str
    input: dict[str, Any] = Field(default_factory=dict)
    ctx: CallerContext | None = None


Hook = Callable[[Session, Actor, HookParams], str | None]
"""The reason to refuse the call, or None."""


async def hooks_pre_execute(session: Session, request: Request) -> JsonObject:
    """Whether the call may go on: `{ok: true}`, or `{ok: false, reason}`."""
    params = read(request, HookParams)
    actor = acting(session, params.ctx)
    for hook in HOOKS:
        if reason := hook(session, actor, params):
            return {"ok": False, "reason": reason}
    return {"ok": True}


def _granted(session: Session, actor: Actor, params: HookParams) -> str | None:
    """The policy's verdict on the tool, be it ours or the client's own."""
    if actor.policy.allows(params.tool):
        return None
    return f"{params.tool} is not granted to {actor.agent}"


HOOKS: tuple[Hook, ...] = (_granted,)
