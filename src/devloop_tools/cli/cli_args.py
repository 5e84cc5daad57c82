"""`devloop-tools cli-args`: the command line that starts an agent's CLI, printed."""

import shlex
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import orjson
import typer

from devloop_tools.cli import options
from devloop_tools.cli.preparation import prepare
from devloop_tools.launch.arguments import CommandLine, Dialect
from devloop_tools.settings import Flags


class Format(StrEnum):
    """`shell` is one line for `sh`, `json` is for programs."""

    SHELL = "shell"
    JSON = "json"


def cli_args(
    *,
    agent: options.Agent,
    dialect: Annotated[
        Dialect, typer.Option(help="claude: Claude Code's flags; acp: a host's own protocol.")
    ] = Dialect.CLAUDE,
    output: Annotated[
        Format, typer.Option("--format", help="shell: one line; json: argv, env and files.")
    ] = Format.SHELL,
    claude: options.Claude = None,
    skip_permissions: options.SkipPermissions = False,
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
    unit: options.Unit = None,
    session: options.Session = None,
    tools_dir: options.ToolsDir = None,
) -> None:
    """Print the command line that starts the agent's CLI with our server. Starts nothing.

    Its files are written to a private folder, and swept away after a week.
    """
    flags = Flags(
        agent=agent,
        project_dir=project_dir,
        data_dir=data_dir,
        company=company,
        project=project,
        unit=unit,
        session=session,
        tools_dir=tools_dir,
    )
    with options.reported():
        prepared = prepare(flags, claude, dialect=dialect, skip_permissions=skip_permissions)
    line = prepared.line
    text = _as_json(line) if output is Format.JSON else _as_shell(line.argv, line.env)
    sys.stdout.buffer.write(text)


def _as_json(line: CommandLine) -> bytes:
    value = {
        "argv": list(line.argv),
        "env": dict(line.env),
        "files": [str(path) for path in line.contents],
    }
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def _as_shell(argv: tuple[str, ...], env: Mapping[str, str]) -> bytes:
    prefix = ["env", *(f"{name}={value}" for name, value in env.items())] if env else []
    return f"{shlex.join([*prefix, *argv])}\n".encode()
