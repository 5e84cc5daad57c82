"""Draws the snapshots: what clients are shown of each tool, and what each agent's list costs.

`make snapshots` writes them, `test_snapshots.py` compares them; both draw here. A tool's lies
beside its module and is shipped: a server answers tools/list from it.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import orjson

from devloop_tools.app import TOOLS_PACKAGE, load_tools
from devloop_tools.frozen import changed
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.published import to_file
from devloop_tools.server.tools_list import describe
from devloop_tools.settings import resolve_tools_dir

ROOT = Path(__file__).resolve().parents[2]
DRAWN = ("src/devloop_tools/tools/*/*.json", "tests/snapshots/*/*.json")
"""What there is of snapshots, and of nothing else."""


def draw() -> Mapping[str, bytes]:
    """Every snapshot as it should be: its path below `ROOT`, and its content."""
    tools = load_tools(resolve_tools_dir(None))
    entries = [
        changed(entry, stored=lambda: None) if _is_shipped(entry) else entry
        for entry in tools.registry.entries.values()
    ]
    drawn = {_path_of(entry): _shown(entry) for entry in entries if _is_shipped(entry)}
    for template in tools.agents.templates:
        agent = tools.agent(template.short_name)
        costs = _costs(Catalog(entries, agent.policy).entries())
        drawn[f"tests/snapshots/agents/{template.short_name}.json"] = _text(costs)
    return drawn


def stored() -> Mapping[str, bytes]:
    """Every snapshot as it is."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for pattern in DRAWN
        for path in ROOT.glob(pattern)
    }


def _is_shipped(entry: ToolEntry) -> bool:
    return entry.source.startswith(f"{TOOLS_PACKAGE}.")


def _path_of(entry: ToolEntry) -> str:
    return f"src/{entry.source.replace('.', '/')}.json"


def _shown(entry: ToolEntry) -> bytes:
    module = find_spec(entry.source)
    assert module is not None
    return to_file(entry.published, module)


def _costs(entries: Sequence[ToolEntry]) -> JsonObject:
    """Names in their order with the bytes of each, and of the list on the wire."""
    # As a client of the newest revision sees them.
    tools = [describe(entry, lambda _revision: True) for entry in entries]
    return {
        "bytes": len(orjson.dumps({"tools": tools})),
        "tools": {tool["name"]: len(orjson.dumps(tool)) for tool in tools},
    }


def _text(value: JsonObject) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
