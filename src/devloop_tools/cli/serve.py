"""`devloop-tools serve`: answer first, load then, serve until the input ends.

The first lines are answered before flags are checked and anything heavy is imported; what is
wrong with flags or policy is said after that, in one line on stderr, with exit code 2.
"""

import os

from devloop_tools.rpc.first_lines import FirstLines, answer_first_lines
from devloop_tools.rpc.signals import end_at_once_on_signals
from devloop_tools.server.era import ALL
from devloop_tools.server.greeting import answer


def run(arguments: list[str]) -> None:
    """Serve on stdin and stdout; never returns."""
    end_at_once_on_signals()
    asked = {"--help", "-h"} & set(arguments)
    # A person at a terminal is told at once what is wrong with the flags.
    if asked or os.isatty(0):
        lines = FirstLines()
    else:
        offered = _offered(arguments)
        lines = answer_first_lines(lambda method, params: answer(method, params, offered))
    from devloop_tools.cli.serving import serve_after

    os._exit(serve_after(lines, arguments))


def _offered(arguments: list[str]) -> str:
    """The value of --protocol, read before the flags are: the first answer depends on it."""
    value = ALL
    for word, following in zip(arguments, [*arguments, ""][1:], strict=True):
        name, separator, given = word.partition("=")
        if name == "--protocol":
            value = given if separator else following
    return value
