"""What `doctor` tries for each agent: its server answers, and the real CLI takes its tools."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from devloop_tools.app import Tools, load_tools
from devloop_tools.cli.checks import Finding, State
from devloop_tools.launch.arguments import CommandLine, LaunchOptions, build_cli_args
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.files import private_folder, run_folder, write_run
from devloop_tools.launch.mcp_config import server_command
from devloop_tools.launch.trials import first_event, try_server
from devloop_tools.launch.verification import fault_in_init
from devloop_tools.registry.errors import LoadError
from devloop_tools.settings import (
    UNIT_AGENTS,
    Flags,
    SettingsError,
    resolve,
    resolve_tools_dir,
    short_name,
)

_UNIT = "doctor"


def check_agents(flags: Flags, claude: str | None) -> Iterator[Finding]:
    """Start each agent's server, and its CLI (None: not) up to its first event; no model runs.

    All of it happens in a folder that is removed again. What `check_tools` has found wrong isn't
    told again.
    """
    try:
        tools = load_tools(resolve_tools_dir(flags.tools_dir))
    except (LoadError, SettingsError):
        return
    known = [template.short_name for template in tools.agents.templates]
    agents = [
        name for name in known if short_name(flags.agent or name) == name and _is_sound(tools, name)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for agent in agents:
            yield from _check_agent(tools, agent, claude, folder)


def _is_sound(tools: Tools, agent: str) -> bool:
    try:
        return bool(tools.agent(agent))
    except LoadError:
        return False


def _check_agent(tools: Tools, agent: str, claude: str | None, folder: Path) -> Iterator[Finding]:
    unit = _UNIT if agent in UNIT_AGENTS else None
    flags = Flags(agent=agent, project_dir=str(folder), unit=unit, tools_dir=str(tools.folder))
    try:
        server = server_command(flags, resolve(flags, os.environ))
        trial = try_server(server, os.environ)
    except (LaunchError, SettingsError) as exc:
        fix = "start the same serve by hand to see more, or devloop-tools call"
        yield Finding(f"server of {agent}", State.FAIL, str(exc), fix)
        return
    count = len(trial.tools) - 1
    if trial.hook_answers:
        found = f"answers, {count} tools; so does its hook"
        yield Finding(f"server of {agent}", State.OK, found)
    else:
        found = f"answers, {count} tools, but its hook does not: the CLI would block every call"
        yield Finding(f"server of {agent}", State.FAIL, found, "install devloop-tools anew")
    if claude is not None:
        yield _cli_finding(tools, agent, claude, server, folder)


def _cli_finding(
    tools: Tools, agent: str, claude: str, server: tuple[str, ...], folder: Path
) -> Finding:
    check, run = f"claude with {agent}", None
    try:
        run = run_folder(private_folder(os.environ), agent)
        line = _command_line(tools, agent, LaunchOptions(claude, server, run))
        write_run(run, line.contents)
        fault = fault_in_init(first_event(line, folder, os.environ), line.tools)
    except (LaunchError, LoadError) as exc:
        fault = str(exc)
    finally:
        if run is not None:
            shutil.rmtree(run, ignore_errors=True)
    if fault is None:
        return Finding(check, State.OK, f"takes the {len(line.tools)} tools of the policy")
    fix = f"claude --debug tells more; is the policy of {agent} for this version of the CLI?"
    return Finding(check, State.FAIL, fault, fix)


def _command_line(tools: Tools, agent: str, options: LaunchOptions) -> CommandLine:
    loaded = tools.agent(agent)
    return build_cli_args(loaded.template, loaded.policy, loaded.registry, options)
