"""Draws the snapshots: each tool's definition, and what each agent's tools/list costs in bytes.

`make snapshots` writes them, `test_snapshots.py` compares them; both draw here.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import orjson

from devloop_tools.app import TOOLS_PACKAGE, Application, NoPeer, build
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.session import Session
from devloop_tools.server.tools_list import describe, tools_list
from devloop_tools.settings import Flags, resolve

FOLDER = Path(__file__).resolve().parent
DRAWN = ("tools", "agents")
"""Folders below `FOLDER` that hold nothing but snapshots."""


def draw() -> Mapping[str, str]:
    """Every snapshot as it should be: its path below `FOLDER`, and its text."""
    with tempfile.TemporaryDirectory() as project:
        return anyio.run(_draw, project)


def stored() -> Mapping[str, str]:
    """Every snapshot as it is."""
    return {
        path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
        for folder in DRAWN
        for path in (FOLDER / folder).glob("*")
    }


async def _draw(project: str) -> Mapping[str, str]:
    applications = {
        agent: build(resolve(Flags(agent=agent, unit="unit", project_dir=project), {}))
        for agent in _agents(project)
    }
    session = _session(next(iter(applications.values())))
    built_in = [
        entry
        for entry in session.actors.registry.entries.values()
        if entry.source.startswith(f"{TOOLS_PACKAGE}.")
    ]
    drawn = {f"tools/{entry.name}.json": _text(describe(entry, _newest)) for entry in built_in}
    for agent, application in applications.items():
        listed = await tools_list(_session(application), Request(1, "tools/list", {}))
        drawn[f"agents/{agent}.json"] = _text(_costs(listed["tools"]))
    return drawn


def _agents(project: str) -> list[str]:
    application = build(resolve(Flags(agent="pm", project_dir=project), {}))
    return [template.short_name for template in application.cast.tools.agents.templates]


def _session(application: Application) -> Session:
    return application.session(NoPeer())


def _newest(_revision: str) -> bool:
    """A client of the newest revision knows what each brought."""
    return True


def _costs(tools: list[JsonObject]) -> JsonObject:
    """Names in their order with the bytes of each, and of the list on the wire."""
    return {
        "bytes": len(orjson.dumps({"tools": tools})),
        "tools": {tool["name"]: len(orjson.dumps(tool)) for tool in tools},
    }


def _text(value: JsonObject) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"
