"""Reading params of plain JSON-RPC, where `ctx` may say who acts."""

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import Request
from devloop_tools.server.actors import Actor, UnknownActor
from devloop_tools.server.session import Session
from devloop_tools.settings import short_name


class Params(BaseModel):
    """Unknown params are refused, so that a misspelt one doesn't pass as absent."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def _printable(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("printable", "a text without control characters is expected")
    return text


Printable = Annotated[str, AfterValidator(_printable)]


class CallerContext(Params):
    """Who acts, as a trusted host says it."""

    agent: str | None = Field(default=None, min_length=1, max_length=64)
    unit_id: str | None = Field(default=None, min_length=1, max_length=64)
    call_id: Printable | None = Field(default=None, min_length=1, max_length=128)
    session_id: Printable | None = Field(default=None, min_length=1, max_length=128)


Model = TypeVar("Model", bound=Params)


def read(request: Request, model: type[Model]) -> Model:
    """The request's params. Raises RpcError -32602 that names what is wrong."""
    try:
        return model.model_validate(request.params)
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "params"
        raise RpcError(INVALID_PARAMS, f"{where}: {fault['msg']}") from None


def acting(session: Session, context: CallerContext | None, *, works: bool = True) -> Actor:
    """Who acts in this request: the agent of `ctx`, else that of `--agent`, with its unit.

    Raises RpcError -32602, also where an agent that `works` on one unit has none.
    """
    if context is not None and not session.actors.takes_context:
        raise RpcError(INVALID_PARAMS, "ctx needs serve --host")
    given, default = context or CallerContext(), session.actors.default
    agent = short_name(given.agent) if given.agent else None
    if default is not None and agent in (None, default.agent):
        agent, unit_id = default.agent, given.unit_id or default.unit_id
        if unit_id == default.unit_id:
            return default.in_session(given.session_id)
    elif agent is None:
        raise RpcError(INVALID_PARAMS, "ctx.agent is missing, and serve has no --agent")
    else:
        unit_id = given.unit_id
    if agent not in session.actors.agent_names:
        known = ", ".join(session.actors.agent_names)
        raise RpcError(INVALID_PARAMS, f"ctx.agent: unknown agent: {agent}; there are: {known}")
    try:
        return session.actors.named(agent, unit_id, works=works).in_session(given.session_id)
    except UnknownActor as exc:
        raise RpcError(INVALID_PARAMS, f"ctx: {exc}") from None
