"""The command line's commands, one file each."""

import typer

from devloop_tools.cli.call import call

app = typer.Typer(
    name="devloop-tools",
    help="The tool server that makes AI development agents dependable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """The tool server that makes AI development agents dependable."""


app.command()(call)
