"""`devloop-tools dump-schema`: the tools' definitions, for people, diffs and other clients."""

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from devloop_tools.app import load_tools
from devloop_tools.cli import options, schema_formats
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.settings import resolve_tools_dir


class Format(StrEnum):
    """Who reads it."""

    MCP = "mcp"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    MARKDOWN = "markdown"


_WRITERS: Mapping[Format, Callable[[Sequence[ToolEntry]], bytes]] = {
    Format.MCP: schema_formats.mcp,
    Format.ANTHROPIC: schema_formats.anthropic,
    Format.OPENAI: schema_formats.openai,
    Format.MARKDOWN: schema_formats.markdown,
}


def dump_schema(
    *,
    agent: Annotated[
        str | None,
        typer.Option("--agent", help="Only what this agent is granted. Default: all there is."),
    ] = None,
    output: Annotated[
        Format,
        typer.Option("--format", help="As in tools/list, or as these APIs or a person read it."),
    ] = Format.MCP,
    tools_dir: options.ToolsDir = None,
) -> None:
    """Print the definitions of the tools, sorted by name, so that two outputs can be compared."""
    with options.reported():
        entries = _entries(agent, tools_dir)
    sys.stdout.buffer.write(_WRITERS[output](entries))


def _entries(agent: str | None, tools_dir: str | None) -> Sequence[ToolEntry]:
    tools = load_tools(resolve_tools_dir(tools_dir))
    options.complain(map(str, tools.packs.faults))
    entries = tools.registry.entries.values()
    return list(entries) if agent is None else Catalog(entries, tools.agent(agent).policy).entries()
