"""tools/call: from MCP's params to a call, and from its outcome to MCP's result."""

import random
import threading
import time
from collections.abc import Callable

import anyio.from_thread
import anyio.lowlevel

from devloop_tools.domain.origin import Origin
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import STRUCTURED_SINCE
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.execution import Call, Crashed, Finished, Invalid, Outcome, OutsideSandbox
from devloop_tools.server.middleware import run_call
from devloop_tools.server.progress import NoProgress, ProgressReporter
from devloop_tools.server.session import Session

_TOOL_USE_ID = "claudecode/toolUseId"
"""Where the Claude CLI puts the id of the model's tool_use block."""

MAX_CALL_ID = 128


async def tools_call(session: Session, request: Request) -> JsonObject:
    """Run a tool (MCP, tools/call). An unknown and a forbidden one read the same."""
    name, arguments = _named_arguments(request.params)
    entry = session.catalog.get(name)
    if entry is None:
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
    meta = request.params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    progress = _progress(session, meta.get("progressToken"))
    call = Call(entry.definition, arguments, _origin(session, meta), progress)
    try:
        outcome = await run_call(session, call)
    finally:
        if isinstance(progress, ProgressReporter):
            progress.close()
    return _result(outcome, structured=session.speaks(STRUCTURED_SINCE))


def _named_arguments(params: JsonObject) -> tuple[str, JsonObject]:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "name: the tool's name is required, as a string")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments: an object is expected")
    return name, arguments


def _origin(session: Session, meta: JsonObject) -> Origin:
    given = meta.get(_TOOL_USE_ID)
    usable = isinstance(given, str) and 0 < len(given) <= MAX_CALL_ID
    who = session.identity
    return Origin(
        project_id=who.project_id,
        agent=who.agent,
        call_id=str(given) if usable else f"call-{uuid7()}",
        session_id=who.session_id,
        unit_id=who.unit_id,
    )


def _progress(session: Session, token: object) -> NoProgress | ProgressReporter:
    if isinstance(token, bool) or not isinstance(token, str | int):
        return NoProgress()
    loop, loop_thread = anyio.lowlevel.current_token(), threading.get_ident()

    def on_loop(send: Callable[[], None]) -> None:
        if threading.get_ident() == loop_thread:
            send()
        else:
            anyio.from_thread.run_sync(send, token=loop)

    return ProgressReporter(
        token, lambda params: session.peer.notify("notifications/progress", params), on_loop
    )


def _result(outcome: Outcome, *, structured: bool) -> JsonObject:
    match outcome:
        case Finished():
            result: JsonObject = {"content": [{"type": "text", "text": outcome.text}]}
            if structured and outcome.structured is not None:
                result["structuredContent"] = outcome.structured
            return result | {"isError": False}
        case Invalid():
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


def uuid7() -> str:
    """A UUID that sorts by time (RFC 9562, section 5.7). Unique, but no secret."""
    milliseconds = time.time_ns() // 1_000_000
    noise = random.getrandbits(74)
    value = milliseconds << 80 | 7 << 76 | (noise >> 62) << 64 | 2 << 62 | noise & (1 << 62) - 1
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
