"""tools/call: from MCP's params to a call, and from its outcome to MCP's result."""

from functools import partial

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import STRUCTURED_SINCE
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.names import HOOK_TOOL
from devloop_tools.server import policy_check
from devloop_tools.server.admission import Denied
from devloop_tools.server.clients import with_client
from devloop_tools.server.era import meta_of
from devloop_tools.server.execution import Call, Crashed, Finished, Invalid, Outcome, OutsideSandbox
from devloop_tools.server.middleware import find_granted, run_call
from devloop_tools.server.progress import reporting
from devloop_tools.server.session import Peer, Session
from devloop_tools.toolkit.client import Client

_TOOL_USE_ID = "claudecode/toolUseId"
"""Where the Claude CLI puts the id of the model's tool_use block."""


async def tools_call(session: Session, request: Request) -> JsonObject:
    """Run a tool (MCP, tools/call). An unknown and a forbidden one read the same."""
    name, arguments = _named_arguments(request.params)
    actor = session.actor
    if name == HOOK_TOOL and session.actors.serves_cli:
        return await policy_check.policy_check(session, arguments)
    meta = meta_of(request.params)
    call_id = meta.get(_TOOL_USE_ID)
    entry = find_granted(session, actor, name, call_id)
    token = meta.get("progressToken")
    send = partial(_send_progress, session.peer, token)
    with reporting(send, session.loop, wanted=is_progress_token(token)) as progress:
        origin = actor.origin(call_id)
        call = partial(Call, actor, entry, arguments, origin, progress)

        async def run(client: Client) -> JsonObject:
            outcome = await run_call(session, call(client))
            return _result(outcome, structured=session.speaks(request, STRUCTURED_SINCE))

        return await with_client(session, actor, request, run)


def is_progress_token(token: object) -> bool:
    """Whether MCP allows it: a string or an integer, 0 included."""
    return isinstance(token, str | int) and not isinstance(token, bool)


def _send_progress(peer: Peer, token: object, fact: JsonObject) -> None:
    peer.offer("notifications/progress", {"progressToken": token, **fact})


def _named_arguments(params: JsonObject) -> tuple[str, JsonObject]:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "name: the tool's name is required, as a string")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments: an object is expected")
    return name, arguments


def _result(outcome: Outcome, *, structured: bool) -> JsonObject:
    match outcome:
        case Finished():
            blocks = list(outcome.blocks) or [{"type": "text", "text": outcome.text}]
            result: JsonObject = {"content": blocks}
            if structured and outcome.structured is not None:
                result["structuredContent"] = outcome.structured
            return result | {"isError": False}
        case Invalid() | Denied():
            return _error(outcome.text)
        case OutsideSandbox():
            whose = f"outside what {outcome.agent} may touch"
            return _error(f"{outcome.path}: {whose}: {outcome.reason}")
        case Crashed():
            where = "\n".join(f"at {frame}" for frame in outcome.frames)
            return _error(
                f"{outcome.tool} failed: {outcome.message}\nerror id: {outcome.error_id}\n{where}"
            )


def _error(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}], "isError": True}
