"""`devloop-tools doctor`: check the set-up, with a fix for each finding."""

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import orjson
import typer

from devloop_tools.cli import agent_checks, checks, options
from devloop_tools.cli.checks import Finding, State
from devloop_tools.launch.claude_binary import find_claude
from devloop_tools.settings import Flags

EXIT_BROKEN = 1

_MARKS = {State.OK: "✓", State.WARN: "!", State.FAIL: "✗"}


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def doctor(
    *,
    agent: Annotated[str | None, typer.Option(help="One agent. Default: all.")] = None,
    claude: Annotated[str | None, typer.Option(help="The Claude CLI to look at.")] = None,
    output: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.TEXT
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Look at files; start nothing.")] = False,
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
    tools_dir: options.ToolsDir = None,
) -> None:
    """Check the set-up: exit 0 when it can work, 1 when something must be mended first.

    Each agent's server is started and asked, and the Claude CLI up to its first event; no model
    runs.
    """
    flags = Flags(
        agent=agent,
        project_dir=project_dir,
        data_dir=data_dir,
        company=company,
        project=project,
        tools_dir=tools_dir,
    )
    findings = [
        *checks.check_python(),
        *checks.check_package(),
        *checks.check_extras(),
        *checks.check_tools(flags),
        *checks.check_project(flags),
        *(of_claude := list(checks.check_claude(claude))),
    ]
    if not quick:
        usable = all(finding.state is State.OK for finding in of_claude)
        cli = find_claude(claude, os.environ) if usable else None
        findings += agent_checks.check_agents(flags, cli)
    sys.stdout.write(_json(findings) if output is Format.JSON else _text(findings))
    broken = any(finding.state is State.FAIL for finding in findings)
    raise typer.Exit(EXIT_BROKEN if broken else 0)


def _text(findings: Sequence[Finding]) -> str:
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.state]} {finding.check:<{width}}  {finding.found}")
        if finding.fix:
            lines.append(f"  {'':<{width}}  → {finding.fix}")
    return "\n".join(lines) + "\n"


def _json(findings: Sequence[Finding]) -> str:
    return orjson.dumps(findings, option=orjson.OPT_INDENT_2).decode() + "\n"
