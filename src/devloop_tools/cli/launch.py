"""`devloop-tools launch`: start an agent's CLI under its policy, or say why not."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from devloop_tools.cli import options
from devloop_tools.cli.preparation import Prepared, prepare
from devloop_tools.launch.configuration import (
    MAX_SHOWN,
    accept,
    accepted_before,
    folders_inside,
    read_configuration,
)
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.running import ended_by_signals, run_headless, run_interactively
from devloop_tools.launch.trials import HEADLESS, first_event, try_server
from devloop_tools.launch.verification import fault_in_init
from devloop_tools.launch.version import require_version
from devloop_tools.registry.pack_verdicts import state_folder
from devloop_tools.settings import Flags, Settings, resolve

EXIT_FAULT = 1

STDIN = "-"

WRITTEN_BY_THE_BUILDER = (
    "--mcp-config", "--strict-mcp-config", "--tools", "--allowedTools", "--allowed-tools",
    "--disallowedTools", "--disallowed-tools", "--settings", "--setting-sources",
    "--permission-mode", "--permission-prompt-tool", "--permission-prompts",
    "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions",
)  # fmt: skip
TAKES_THE_HOOK_AWAY = ("--bare", "--safe-mode", "--restricted")


class WithExtra(TyperCommand):
    """A command whose words behind `--` are somebody else's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.obj = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def launch(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(help="Short name or id: pm, devloop-pm.")],
    prompt: Annotated[
        str | None,
        typer.Argument(help="Run headless with this prompt ('-': from stdin), then end."),
    ] = None,
    *,
    claude: options.Claude = None,
    skip_permissions: options.SkipPermissions = False,
    accept_config: Annotated[
        str | None,
        typer.Option(help="Accept the configuration inside the project that has this digest."),
    ] = None,
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
    unit: options.Unit = None,
    session: options.Session = None,
    tools_dir: options.ToolsDir = None,
) -> None:
    """Start the agent's CLI with its policy and hook in place; words behind -- go to the CLI.

    Headless, it ends at once with exit 1 if the CLI doesn't offer what the policy grants.
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
    extra: tuple[str, ...] = ctx.obj or ()
    with options.reported():
        _refuse_flags_of_ours(extra)
        settings = resolve(flags, os.environ)
        options.refuse_agents(settings.project_dir, "launch")
        _require_accepted(settings, accept_config)
        given = None if prompt is None else _given(prompt)
    with ended_by_signals():
        with options.reported():
            prepared = prepare(flags, claude, skip_permissions=skip_permissions, prompt_needed=True)
        try:
            with options.reported():
                require_version(prepared.line.argv[0], os.environ)
                _require_hook(prepared)
                if given is None:
                    _require_tools(prepared)
            code = _run(prepared, given, extra)
        finally:
            shutil.rmtree(prepared.folder, ignore_errors=True)
    raise typer.Exit(code)


def _given(prompt: str) -> bytes:
    words = sys.stdin.buffer.read() if prompt == STDIN else prompt.encode(errors="surrogateescape")
    if not words.strip():
        raise LaunchError("the prompt is empty; write one, or leave it out to work in a terminal")
    return words


def _run(prepared: Prepared, prompt: bytes | None, extra: tuple[str, ...]) -> int:
    line, folder = prepared.line, prepared.settings.project_dir
    env = {**os.environ, **line.env}
    try:
        if prompt is None:
            return run_interactively([*line.argv, *extra], env, folder)
        argv = [*line.argv, *HEADLESS, *extra]
        return run_headless(argv, env, folder, line.tools, prompt, sys.stdout.buffer)
    except LaunchError as exc:
        sys.stderr.write(f"devloop-tools: {exc}\n")
        return EXIT_FAULT


def _refuse_flags_of_ours(extra: tuple[str, ...]) -> None:
    for word in extra:
        name = word.partition("=")[0]
        if name in WRITTEN_BY_THE_BUILDER:
            raise LaunchError(f"{name}: launch writes this flag by the policy; leave it out")
        if name in TAKES_THE_HOOK_AWAY:
            raise LaunchError(f"{name}: takes the hook away that holds the agent to its policy")


def _require_accepted(settings: Settings, accept_config: str | None) -> None:
    """Where configuration lies inside the project: that a person has accepted it as it is."""
    for folder in folders_inside(settings.project_dir, settings.configuration):
        _require_accepted_folder(folder, accept_config)


def _require_accepted_folder(folder: Path, accept_config: str | None) -> None:
    state = state_folder(os.environ)
    now, before = read_configuration(folder), accepted_before(folder, state)
    if before == now.files:
        return
    if accept_config != now.digest:
        sys.stderr.write(f"Configuration inside the project, {folder}, changed:\n")
        changes = list(now.changes_since(before or {}))
        for line in changes[:MAX_SHOWN]:
            sys.stderr.write(f"{_visible(line)}\n")
        if len(changes) > MAX_SHOWN:
            sys.stderr.write(f"  … and {len(changes) - MAX_SHOWN} lines more\n")
        if not (sys.stdin.isatty() and typer.confirm("Accept it?", err=True)):
            raise LaunchError(
                f"{folder} is not accepted as it is; look at it, and start with "
                f"--accept-config {now.digest}"
            )
    accept(now, state)


def _visible(line: str) -> str:
    """What a person decides on is shown as it is: no character moves or hides others."""
    return "".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in line)


def _require_tools(prepared: Prepared) -> None:
    """In a terminal nobody reads the first event, so that it is looked at beforehand."""
    line = prepared.line
    event = first_event(line, prepared.settings.project_dir, os.environ)
    if fault := fault_in_init(event, line.tools):
        raise LaunchError(fault)


def _require_hook(prepared: Prepared) -> None:
    trial = try_server(prepared.server, os.environ)
    if not trial.hook_answers:
        raise LaunchError("the server's hook does not answer; devloop-tools doctor says more")
