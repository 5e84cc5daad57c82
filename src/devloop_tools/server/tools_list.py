"""tools/list: what this agent is granted, in a stable order, in pages."""

from collections.abc import Sequence
from typing import Any, Protocol

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.mcp import ANNOTATIONS_SINCE, STRUCTURED_SINCE
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.session import Session
from devloop_tools.toolkit import Annotations

PAGE_SIZE = 100


class Revision(Protocol):
    """What is known about the client's protocol."""

    def speaks(self, version: str) -> bool: ...


async def tools_list(session: Session, request: Request) -> JsonObject:
    """One page (MCP, tools/list). The cursor is the last name of the page before."""
    page, following = _page(session.catalog(session.actor).entries(), request.params.get("cursor"))
    result: JsonObject = {"tools": [describe(entry, session) for entry in page]}
    if following:
        result["nextCursor"] = page[-1].name
    return result


def describe(entry: ToolEntry, revision: Revision) -> JsonObject:
    """A tool as MCP writes it, with what the negotiated revision knows."""
    definition = entry.definition
    tool: JsonObject = {
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema(),
    }
    if revision.speaks(STRUCTURED_SINCE) and (schema := definition.output_schema()):
        tool["outputSchema"] = schema
    if revision.speaks(ANNOTATIONS_SINCE):
        tool["annotations"] = annotations_of(definition.annotations)
    return tool


def annotations_of(annotations: Annotations) -> JsonObject:
    """The hints as MCP spells them."""
    return {
        "readOnlyHint": annotations.read_only,
        "destructiveHint": annotations.destructive,
        "idempotentHint": annotations.idempotent,
        "openWorldHint": annotations.open_world,
    }


def _page(entries: Sequence[ToolEntry], cursor: Any) -> tuple[Sequence[ToolEntry], bool]:
    start = 0
    if cursor is not None:
        names = [entry.name for entry in entries]
        if cursor not in names:
            raise RpcError(INVALID_PARAMS, f"cursor: {cursor!r} is not one that was given out")
        start = names.index(cursor) + 1
    return entries[start : start + PAGE_SIZE], len(entries) > start + PAGE_SIZE
