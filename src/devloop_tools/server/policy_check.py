"""policy_check: the tool that the CLI's PreToolUse hook calls. It is no entry of the catalogue.

Listed by `serve --for-cli` alone. Its answer is exactly one text block of JSON: `{}` to let the
call pass, or a decision to deny it; never one to allow it, which would overrule the rest.
"""

from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import orjson

from devloop_tools.domain.events import EventType
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.names import CLI_PREFIX, HOOK_TOOL
from devloop_tools.server.actors import Actor
from devloop_tools.server.native_calls import Ruling, rule_on_call
from devloop_tools.server.session import Session

DESCRIPTION: JsonObject = {
    "name": HOOK_TOOL,
    "description": "Called by the CLI's PreToolUse hook before each tool call; not for models.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "tool_name": {"type": "string", "description": "The tool."},
            "tool_input": {"type": "string", "description": "Its arguments, JSON in a string."},
            "cwd": {"type": "string", "description": "The CLI's current folder."},
            "tool_use_id": {"type": "string", "description": "The call's id."},
        },
        "required": ["tool_name", "tool_input"],
    },
    "annotations": {"readOnlyHint": True},
}


async def policy_check(session: Session, arguments: JsonObject) -> JsonObject:
    """The hook's answer as MCP's result."""
    actor = session.actor
    ruling = await anyio.to_thread.run_sync(
        partial(ruling_on, actor, arguments), limiter=session.threads
    )
    if ruling is not None:
        record(session, actor, arguments.get("tool_use_id"), ruling)
    text = orjson.dumps(hook_answer(ruling.reason if ruling else "")).decode()
    return {"content": [{"type": "text", "text": text}], "isError": False}


def ruling_on(actor: Actor, event: JsonObject) -> Ruling | None:
    """The ruling on a hook's event; None for our own tools, which `tools/call` rules on."""
    tool, given, cwd = event.get("tool_name"), event.get("tool_input"), event.get("cwd")
    if not isinstance(tool, str) or not tool:
        return Ruling("the hook did not say which tool is called", {"tool": "", "rule": "hook"})
    if tool.startswith(CLI_PREFIX):
        return None
    try:
        arguments = orjson.loads(given) if isinstance(given, str) and given else given
    except orjson.JSONDecodeError:
        arguments = None
    if not isinstance(arguments, dict):
        return Ruling("the hook's input can't be read", {"tool": tool, "rule": "hook"})
    folder = Path(cwd) if isinstance(cwd, str) and cwd.startswith("/") else None
    return rule_on_call(actor.grounds, tool, arguments, folder)


def hook_answer(reason: str) -> dict[str, Any]:
    """What a PreToolUse hook says: nothing, or that the call is denied."""
    if not reason:
        return {}
    decision = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": decision}


def record(session: Session, actor: Actor, call_id: object, ruling: Ruling) -> None:
    """Keep the ruling as an event."""
    kind = EventType.POLICY_REFUSED if ruling.refused else EventType.POLICY_DECIDED
    session.events.note(actor.origin(call_id), kind, ruling.trace)
