"""What `cli-args` and `launch` do alike: an agent's command line, made of its policy."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from devloop_tools.app import Agent, load_tools
from devloop_tools.cli import options
from devloop_tools.launch.arguments import CommandLine, Dialect, LaunchOptions, build_cli_args
from devloop_tools.launch.claude_binary import find_claude
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.files import private_folder, run_folder, sweep, write_run
from devloop_tools.launch.mcp_config import server_command
from devloop_tools.launch.prompts import find_prompt
from devloop_tools.settings import Flags, Settings, resolve


@dataclass(frozen=True)
class Prepared:
    """A command line whose files lie in `folder`, which is this run's own."""

    line: CommandLine
    folder: Path
    agent: Agent
    settings: Settings
    server: tuple[str, ...]


def prepare(
    flags: Flags,
    claude: str | None,
    *,
    dialect: Dialect = Dialect.CLAUDE,
    skip_permissions: bool = False,
    prompt_needed: bool = False,
) -> Prepared:
    """Build it, sweep what is old, and write its files. Raises what `options.reported` tells."""
    settings = resolve(flags, os.environ)
    tools = load_tools(settings.tools_dir)
    loaded = tools.agent(str(settings.agent))
    options.complain(tools.complaints(loaded.policy))
    private = private_folder(os.environ)
    prompt_file = None
    if dialect is Dialect.CLAUDE:
        prompt_file = _prompt_file(loaded, settings, needed=prompt_needed)
    launch = LaunchOptions(
        claude=find_claude(claude, os.environ),
        server=server_command(flags, settings),
        folder=run_folder(private, loaded.template.short_name),
        prompt_file=prompt_file,
        session_id=flags.session,
        skip_permissions=skip_permissions,
        as_root=os.geteuid() == 0,
    )
    line = build_cli_args(loaded.template, loaded.policy, loaded.registry, launch, dialect)
    sweep(private, time.time())
    write_run(launch.folder, line.contents)
    return Prepared(line, launch.folder, loaded, settings, launch.server)


def _prompt_file(agent: Agent, settings: Settings, *, needed: bool) -> Path | None:
    name = agent.template.cli.system_prompt_file
    if not name:
        return None
    folders = [folder for folder in (settings.data_dir, settings.tools_dir) if folder]
    path = find_prompt(name, folders)
    if path is None:
        looked = " or ".join(str(folder) for folder in folders)
        if needed:
            raise LaunchError(f"system prompt {name}: not in {looked}; put it there")
        sys.stderr.write(f"devloop-tools: system prompt {name}: not in {looked}; left out\n")
    return path
