"""The command line's commands, one file each."""

from typing import Annotated

import typer

from devloop_tools.cli import pack, policy
from devloop_tools.cli.audit import audit
from devloop_tools.cli.call import call
from devloop_tools.cli.cli_args import cli_args
from devloop_tools.cli.demo import demo
from devloop_tools.cli.doctor import doctor
from devloop_tools.cli.dump_schema import dump_schema
from devloop_tools.cli.events import events
from devloop_tools.cli.extract_prompts import extract_prompts
from devloop_tools.cli.guard import run as judge_event
from devloop_tools.cli.launch import WithExtra, launch
from devloop_tools.cli.serve import run
from devloop_tools.version import VERSION

app = typer.Typer(
    name="devloop-tools",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"devloop-tools {VERSION}")
        raise typer.Exit


@app.callback()
def _group(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """The tool server that makes AI development agents dependable."""


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def serve(ctx: typer.Context) -> None:
    """Answer JSON-RPC on stdin for one agent, until the input ends."""
    run(ctx.args)


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def guard(ctx: typer.Context) -> None:
    """Judge the Bash command of a PreToolUse event on stdin, as a hook."""
    judge_event(ctx.args)


app.command()(call)
app.command()(events)
app.command()(audit)
app.command()(demo)
app.command()(doctor)
app.add_typer(pack.app, name="pack")
app.add_typer(policy.app, name="policy")
app.command()(cli_args)
app.command(cls=WithExtra)(launch)
app.command()(dump_schema)
app.command()(extract_prompts)
