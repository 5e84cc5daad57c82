"""`devloop-tools policy explain`: what an agent's policy says about a call, and which rule."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer

from devloop_tools.app import Tools, load_tools
from devloop_tools.cli import options
from devloop_tools.registry.names import CLI_PREFIX, DEV_LOOP_TOOLS, NATIVE_TOOLS
from devloop_tools.registry.policy import Policy, Verdict
from devloop_tools.settings import resolve_tools_dir

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Who may call what.")


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


@app.callback()
def _group() -> None:
    """Who may call what: the rules of agents.json."""


@app.command()
def explain(
    tool: Annotated[str, typer.Argument(help="A tool of ours, of an upstream or of the CLI.")],
    arguments: Annotated[str, typer.Argument(help="The call's arguments, a JSON object.")] = "{}",
    *,
    agent: options.Agent,
    output: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.TEXT
    ),
    tools_dir: options.ToolsDir = None,
) -> None:
    """Print the decision about one call, and the rule, file and line that made it."""
    with options.reported():
        folder = resolve_tools_dir(tools_dir)
        tools = load_tools(folder)
        found = tools.agent(agent)
        name = tool.removeprefix(CLI_PREFIX)
        known = tools.registry.entries.get(name)
        namespace = known.namespace if known else ""
        verdict = found.policy.decide(name, options.json_object(arguments), namespace=namespace)
        explained = _explained(tools, found.policy, verdict, namespace)
        text = _text(explained) if output is Format.TEXT else orjson.dumps(explained).decode()
    sys.stdout.buffer.write(f"{text}\n".encode())


def _explained(tools: Tools, policy: Policy, verdict: Verdict, namespace: str) -> dict[str, Any]:
    trace = policy.trace(verdict) | {
        "agent": policy.agent,
        "file": str(tools.folder / "agents.json"),
    }
    if verdict.by and verdict.by.reason:
        trace["reason"] = verdict.by.reason
    notes = []
    if verdict.tool not in {*tools.registry.entries, *DEV_LOOP_TOOLS, *NATIVE_TOOLS}:
        notes.append("no tool of this name is known here")
    if policy.gates(verdict.tool, namespace):
        notes.append("some calls of it need a person's agreement")
    return trace | {"notes": notes}


def _text(explained: dict[str, Any]) -> str:
    head = f"{explained['decision']:<6} {explained['tool']} for {explained['agent']}"
    lines = [
        head,
        f"rule   {explained['rule']}",
        f"at     {explained['file']}:{explained['line']}  {explained['position']}",
    ]
    if reason := explained.get("reason"):
        lines.append(f"reason {reason}")
    return "\n".join([*lines, *(f"note   {note}" for note in explained["notes"])])
