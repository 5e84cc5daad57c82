"""`devloop-tools serve`: answer first, load then, serve until the input ends.

The first lines are answered before flags are checked and anything heavy is imported; what is
wrong with flags or policy is said after that, in one line on stderr, with exit code 2.
"""

import os

from devloop_tools.rpc.first_lines import FirstLines, answer_first_lines
from devloop_tools.rpc.signals import end_at_once_on_signals
from devloop_tools.server.greeting import answer


def run(arguments: list[str]) -> None:
    """Serve on stdin and stdout; never returns."""
    end_at_once_on_signals()
    asked = {"--help", "-h"} & set(arguments)
    # A person at a terminal is told at once what is wrong with the flags.
    lines = FirstLines() if asked or os.isatty(0) else answer_first_lines(answer)
    from devloop_tools.cli.serving import serve_after

    os._exit(serve_after(lines, arguments))
