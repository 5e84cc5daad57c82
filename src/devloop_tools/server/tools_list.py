"""tools/list: what this agent is granted, in a stable order, in pages."""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from devloop_tools.protocol.mcp import ANNOTATIONS_SINCE, MODERN, STRUCTURED_SINCE
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server import policy_check
from devloop_tools.server.paging import page_of
from devloop_tools.server.session import Session
from devloop_tools.toolkit import Annotations
from devloop_tools.toolkit.schema import flat_root

_logger = logging.getLogger(__name__)


async def tools_list(session: Session, request: Request) -> JsonObject:
    """What the agent is granted, by name (MCP, tools/list)."""
    speaks = partial(session.speaks, request)
    tools = [describe(entry, speaks) for entry in shown(session.catalog(session.actor).entries())]
    if session.actors.serves_cli:
        tools.append(policy_check.DESCRIPTION)
        tools.sort(key=lambda tool: str(tool["name"]))
    return page_of("tools", tools, request, key="name")


def shown(entries: Iterable[ToolEntry]) -> Iterator[ToolEntry]:
    """Those that can be shown: one whose module can't be imported hides no other."""
    return filter(_can_be_shown, entries)


def _can_be_shown(entry: ToolEntry) -> bool:
    try:
        return bool(entry.published)
    except Exception:
        _logger.exception("%s can't be listed", entry.source)
        return False


def describe(entry: ToolEntry, speaks: Callable[[str], bool]) -> JsonObject:
    """A tool as MCP writes it; `speaks` tells whether the client knows what a revision brought."""
    published = entry.published
    schema = published.input_schema
    tool: JsonObject = {
        "name": entry.name,
        "description": published.description,
        # From 2026-07-28 on clients take any schema; older ones hand it to the API as it is.
        "inputSchema": schema if speaks(MODERN) else flat_root(schema),
    }
    if speaks(STRUCTURED_SINCE) and (output := published.output_schema):
        tool["outputSchema"] = output
    if speaks(ANNOTATIONS_SINCE):
        tool["annotations"] = annotations_of(published.annotations)
    return tool


def annotations_of(annotations: Annotations) -> JsonObject:
    """The hints as MCP spells them."""
    return {
        "readOnlyHint": annotations.read_only,
        "destructiveHint": annotations.destructive,
        "idempotentHint": annotations.idempotent,
        "openWorldHint": annotations.open_world,
    }
