"""hooks.pre_execute: an ordered list of checks before a tool runs; the first refusal wins."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.names import CLI_PREFIX
from devloop_tools.server.actors import Actor
from devloop_tools.server.plain.params import CallerContext, Params, acting, read
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


def _granted(session: Session, actor: Actor, params: HookParams) -> str | None:
    """The policy's verdict on the tool, be it ours or the client's own."""
    if actor.policy.allows(params.tool.removeprefix(CLI_PREFIX)):
        return None
    return f"{params.tool} is not granted to {actor.agent}"


HOOKS: tuple[Hook, ...] = (_granted,)
