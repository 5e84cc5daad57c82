"""The console script. `serve` and `guard` must answer at once: typer is imported for neither."""

import sys


def main() -> None:
    """Run the command line in sys.argv."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["serve"]:
        from devloop_tools.cli.serve import run

        run(arguments[1:])
    elif arguments[:1] == ["guard"]:
        from devloop_tools.cli import guard

        guard.run(arguments[1:])
    else:
        from devloop_tools.cli.commands import app
        from devloop_tools.rpc.stdio import speak_utf8

        speak_utf8()
        app()
