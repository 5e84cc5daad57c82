"""`devloop-tools cli-args`: the command line that starts an agent's CLI, printed."""

import os
import shlex
import sys
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import orjson
import typer

from devloop_tools.app import Agent, load_tools
from devloop_tools.cli import options
from devloop_tools.launch.arguments import CommandLine, Dialect, LaunchOptions, build_cli_args
from devloop_tools.launch.claude_binary import find_claude
from devloop_tools.launch.files import private_folder, run_folder, sweep, write_run
from devloop_tools.launch.mcp_config import server_command
from devloop_tools.launch.prompts import find_prompt
from devloop_tools.settings import Flags, Settings, resolve


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
    claude: Annotated[
        str | None,
        typer.Option(help="The CLI. Default: the one on PATH, else the one in claude-agent-sdk."),
    ] = None,
    skip_permissions: Annotated[
        bool, typer.Option("--skip-permissions", help="Let the CLI check nothing; not for root.")
    ] = False,
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
        settings = resolve(flags, os.environ)
        tools = load_tools(settings.tools_dir)
        loaded = tools.agent(agent)
        options.complain(tools.complaints(loaded.policy))
        private = private_folder(os.environ)
        launch = LaunchOptions(
            claude=find_claude(claude, os.environ),
            server=server_command(flags, settings),
            folder=run_folder(private, loaded.template.short_name),
            prompt_file=_prompt_file(loaded, settings) if dialect is Dialect.CLAUDE else None,
            session_id=session,
            skip_permissions=skip_permissions,
            as_root=os.geteuid() == 0,
        )
        line = build_cli_args(loaded.template, loaded.policy, loaded.registry, launch, dialect)
        sweep(private, time.time())
        write_run(launch.folder, line.contents)
    text = _as_json(line) if output is Format.JSON else _as_shell(line.argv, line.env)
    sys.stdout.buffer.write(text)


def _prompt_file(agent: Agent, settings: Settings) -> Path | None:
    name = agent.template.cli.system_prompt_file
    if not name:
        return None
    folders = [folder for folder in (settings.data_dir, settings.tools_dir) if folder]
    path = find_prompt(name, folders)
    if path is None:
        looked = " or ".join(str(folder) for folder in folders)
        sys.stderr.write(f"devloop-tools: system prompt {name}: not in {looked}; left out\n")
    return path


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
