"""The console script. `serve` is recognised before typer is imported: it must answer at once."""

import sys


def main() -> None:
    """Run the command line in sys.argv."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["serve"]:
        from devloop_tools.cli.serve import run

        run(arguments[1:])
    else:
        from devloop_tools.cli.commands import app
        from devloop_tools.rpc.stdio import speak_utf8

        speak_utf8()
        app()
