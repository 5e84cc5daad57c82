"""The console script. `serve` and `guard` must answer at once: typer is imported for neither."""

import os
import sys

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


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
        _run_command()


def _run_command() -> None:
    """Whatever the system refuses is said in one line: nobody can act on a traceback."""
    try:
        from devloop_tools.cli.commands import app
        from devloop_tools.rpc.stdio import speak_utf8

        speak_utf8()
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has had enough.
        _drop_output()
        sys.exit(1)
    except OSError as exc:
        _drop_output()
        where = f"{exc.filename}: " if exc.filename else ""
        sys.stderr.write(f"devloop-tools: {where}{exc.strerror or exc}\n")
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _drop_output() -> None:
    """What could not be written would be tried once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
