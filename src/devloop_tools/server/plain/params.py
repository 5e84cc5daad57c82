"""Reading params of plain JSON-RPC, where `ctx` may say who acts."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import Request
from devloop_tools.server.actors import Actor, UnknownActor
from devloop_tools.server.session import Session


class Params(BaseModel):
    """Unknown params are refused, so that a misspelt one doesn't pass as absent."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class CallerContext(Params):
    """Who acts, as a trusted host says it."""

    agent: str | None = Field(default=None, max_length=64)
    unit_id: str | None = Field(default=None, max_length=64)
    call_id: str | None = Field(default=None, max_length=128)
    session_id: str | None = Field(default=None, max_length=128)


Model = TypeVar("Model", bound=Params)


def read(request: Request, model: type[Model]) -> Model:
    """The request's params. Raises RpcError -32602 that names what is wrong."""
    try:
        return model.model_validate(request.params)
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "params"
        raise RpcError(INVALID_PARAMS, f"{where}: {fault['msg']}") from None


def acting(session: Session, context: CallerContext | None) -> Actor:
    """Who acts in this request. Raises RpcError -32602."""
    given: dict[str, Any] = context.model_dump(exclude_none=True) if context else {}
    if given and not session.actors.takes_context:
        raise RpcError(INVALID_PARAMS, "ctx needs serve --host")
    default = session.actors.default
    agent = given.get("agent") or (default.agent if default else None)
    if agent is None:
        raise RpcError(INVALID_PARAMS, "ctx.agent is missing, and serve has no --agent")
    unit_id, session_id = given.get("unit_id"), given.get("session_id")
    if default is not None and agent == default.agent and not (unit_id or session_id):
        return default
    try:
        return session.actors.named(agent, unit_id, session_id)
    except UnknownActor as exc:
        raise RpcError(INVALID_PARAMS, f"ctx: {exc}") from None
