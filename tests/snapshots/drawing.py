"""Draws the snapshots: each tool's definition, and what each agent's tools/list costs in bytes.

`make snapshots` writes them, `test_snapshots.py` compares them; both draw here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from devloop_tools.app import TOOLS_PACKAGE, load_tools
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.tools_list import describe
from devloop_tools.settings import resolve_tools_dir

FOLDER = Path(__file__).resolve().parent
DRAWN = ("tools", "agents")
"""Folders below `FOLDER` that hold nothing but snapshots."""


def draw() -> Mapping[str, str]:
    """Every snapshot as it should be: its path below `FOLDER`, and its text."""
    tools = load_tools(resolve_tools_dir(None))
    entries = tools.registry.entries.values()
    drawn = {
        f"tools/{entry.name}.json": _text(_described(entry))
        for entry in entries
        if entry.source.startswith(f"{TOOLS_PACKAGE}.")
    }
    for template in tools.agents.templates:
        agent = tools.agent(template.short_name)
        costs = _costs(Catalog(entries, agent.policy).entries())
        drawn[f"agents/{template.short_name}.json"] = _text(costs)
    return drawn


def stored() -> Mapping[str, str]:
    """Every snapshot as it is."""
    return {
        path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
        for folder in DRAWN
        for path in (FOLDER / folder).glob("*")
    }


def _described(entry: ToolEntry) -> JsonObject:
    """As a client of the newest revision sees it."""
    return describe(entry, lambda _revision: True)


def _costs(entries: Sequence[ToolEntry]) -> JsonObject:
    """Names in their order with the bytes of each, and of the list on the wire."""
    tools = [_described(entry) for entry in entries]
    return {
        "bytes": len(orjson.dumps({"tools": tools})),
        "tools": {tool["name"]: len(orjson.dumps(tool)) for tool in tools},
    }


def _text(value: JsonObject) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"
