"""`devloop-tools policy explain`: whether an agent may make a call, and by which rule."""

import os
import sys
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer

from devloop_tools.app import Agent, Tools, load_tools
from devloop_tools.cli import options
from devloop_tools.registry.names import CLI_PREFIX, DEV_LOOP_TOOLS, NATIVE_TOOLS
from devloop_tools.registry.sandboxes import sandbox_of
from devloop_tools.server.native_calls import Grounds, rule_on_call
from devloop_tools.settings import Flags, resolve, resolve_tools_dir

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
    arguments: Annotated[
        str | None,
        typer.Argument(help="The call's arguments, a JSON object; without, any call is meant."),
    ] = None,
    *,
    agent: options.Agent,
    project_dir: options.ProjectDir = None,
    unit: options.Unit = None,
    output: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.TEXT
    ),
    tools_dir: options.ToolsDir = None,
) -> None:
    """Print the decision about one call, and the rule, file and line that made it.

    With arguments, a call of one of the CLI's own tools gets the very ruling of the hook: paths
    and shell commands are judged too.
    """
    flags = Flags(agent=agent, project_dir=project_dir, unit=unit, tools_dir=tools_dir)
    with options.reported():
        tools = load_tools(resolve_tools_dir(tools_dir))
        found = tools.agent(agent)
        given = None if arguments is None else options.json_object(arguments)
        explained = _explained(tools, found, flags, tool.removeprefix(CLI_PREFIX), given)
        text = _text(explained) if output is Format.TEXT else orjson.dumps(explained).decode()
    sys.stdout.buffer.write(f"{text}\n".encode())


def _explained(
    tools: Tools, agent: Agent, flags: Flags, tool: str, given: dict[str, Any] | None
) -> dict[str, Any]:
    policy, known = agent.policy, tools.registry.entries.get(tool)
    namespace = known.namespace if known else ""
    verdict = policy.decide(tool, given or {}, namespace=namespace)
    trace, notes = policy.trace(verdict), []
    if given is not None and tool not in {*tools.registry.entries, *DEV_LOOP_TOOLS}:
        ruling = rule_on_call(_grounds(agent, flags), tool, given)
        trace |= ruling.trace
        trace.pop("subject", None)
        if ruling.refused_by_arguments:
            notes.append("the policy grants it; what these arguments ask for is closed")
    if verdict.by and verdict.by.reason and trace["rule"] == verdict.rule:
        trace["reason"] = verdict.by.reason
    if tool not in {*tools.registry.entries, *DEV_LOOP_TOOLS, *NATIVE_TOOLS}:
        notes.append("no tool of this name is known here")
    if policy.gates(tool, namespace):
        notes.append("some calls of it need a person's agreement")
    file = str(tools.folder / "agents.json")
    return trace | {"agent": policy.agent, "file": file, "notes": notes}


def _grounds(agent: Agent, flags: Flags) -> Grounds:
    settings = resolve(flags, os.environ)
    root, configuration = settings.project_dir, settings.configuration
    sandbox = sandbox_of(agent.template, root, configuration, settings.unit_id)
    return Grounds(agent.policy, root, sandbox)


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
