"""A host's own tools: registered at run time, under the same policy, executed by the host."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic import Field

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.soundness import faults_in
from devloop_tools.server.listen import announce_tools_changed
from devloop_tools.server.plain.params import Params, read
from devloop_tools.server.session import Peer, Session
from devloop_tools.toolkit import Annotations, ToolContext, ToolDefinition
from devloop_tools.toolkit.definition import MAX_DESCRIPTION
from devloop_tools.toolkit.json_schema import SchemaArguments

NAMESPACE = "host"
SOURCE = "the host"
MAX_TOOLS = 1000
DEFAULT_TIMEOUT_S = 60.0


class HostTool(Params):
    name: str
    description: str = Field(min_length=1, max_length=MAX_DESCRIPTION)
    input_schema: dict[str, Any]
    annotations: dict[str, Any] = Field(default_factory=dict)
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0, le=86_400, allow_inf_nan=False)


class RegisterParams(Params):
    tools: list[HostTool] = Field(min_length=1, max_length=MAX_TOOLS)


class UnregisterParams(Params):
    names: list[str] = Field(min_length=1, max_length=MAX_TOOLS)


async def tools_register(session: Session, request: Request) -> JsonObject:
    """Add tools to this connection, all or none. A name that is taken is refused.

    To change a tool, unregister it first: two parts of a host that took one name would not notice.
    """
    tools = read(request, RegisterParams).tools
    offered = [_entry(tool, session.peer) for tool in tools]
    # Schemas can be large, and whoever judges them holds nobody up.
    await anyio.to_thread.run_sync(_require_sound, offered, limiter=session.threads)
    entries: dict[str, ToolEntry] = {}
    known = {**session.actors.registry.entries, **session.host_tools}
    if len(tools) + len(session.host_tools) > MAX_TOOLS:
        raise RpcError(INVALID_PARAMS, f"tools: a host may have {MAX_TOOLS} at a time")
    for entry in offered:
        if first := known.get(entry.name):
            text = f"{entry.name} is defined in {_source(first)} and again by {SOURCE}"
            raise RpcError(INVALID_PARAMS, f"tools: {text}; rename or unregister one")
        entries[entry.name] = known[entry.name] = entry
    session.host_tools.update(entries)
    announce_tools_changed(session)
    return {"ok": True, "tools": sorted(entries)}


async def tools_unregister(session: Session, request: Request) -> JsonObject:
    """Take tools away again, all or none."""
    names = read(request, UnregisterParams).names
    for name in names:
        if name not in session.host_tools:
            raise RpcError(INVALID_PARAMS, f"names: the host has registered no tool {name}")
    for name in set(names):
        del session.host_tools[name]
    announce_tools_changed(session)
    return {"ok": True, "tools": sorted(session.host_tools)}


def _require_sound(entries: Sequence[ToolEntry]) -> None:
    for entry in entries:
        if fault := next(faults_in(entry.definition), None):
            raise RpcError(INVALID_PARAMS, f"tools: {entry.name}: {fault}")


def _entry(tool: HostTool, peer: Peer) -> ToolEntry:
    async def execute(args: dict[str, Any], ctx: ToolContext) -> Any:
        caller = {
            "agent": ctx.agent,
            "unit_id": ctx.unit_id,
            "call_id": ctx.call_id,
            "session_id": ctx.session_id,
        }
        params = {"name": tool.name, "input": args, "ctx": caller}
        return await peer.request("host.execute", params, tool.timeout_s)

    definition = ToolDefinition(
        name=tool.name,
        description=tool.description,
        arguments=SchemaArguments(tool.input_schema),
        result=Any,
        annotations=_annotations(tool.annotations),
        execute=execute,
        is_async=True,
    )
    return ToolEntry.of(definition, NAMESPACE, SOURCE)


def _source(entry: ToolEntry) -> str:
    """Where a tool comes from, without the folder that a pack lies in."""
    return Path(entry.source).name


def _annotations(hints: dict[str, Any]) -> Annotations:
    """MCP's hints with MCP's defaults: what isn't said to be harmless counts as harmful."""
    return Annotations(
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is not False,
        idempotent=hints.get("idempotentHint") is True,
        open_world=hints.get("openWorldHint") is not False,
    )
