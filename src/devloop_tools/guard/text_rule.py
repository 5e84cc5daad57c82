"""What decides when a command can't be parsed: its text alone."""

import re

from devloop_tools.guard.judgement import Judgement

_CLIENT = re.compile(
    r"(?<![\w.-])(?:[\w./~-]{0,200}/)?(curl|curlie|wget2?|https?(?!:)|httpie|xhs?|invoke-restmethod"
    r"|invoke-webrequest|irm|iwr)(?:\.exe)?(?![\w:.-])",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"-d\s{0,50}['\"]\s{0,50}\{")
_QUOTES = str.maketrans("", "", "'\"\\")


def judged_as_text(command: str, why: str) -> Judgement:
    """Judge a command that can't be parsed; `why` says so, as the end of a sentence.

    Refused is one that names an HTTP client and holds `{` or `[`, or one that has `-d` with
    `{...}` in quotes.
    """
    start = f"This command can't be read as Bash ({why}), so its text alone was judged: "
    client = _CLIENT.search(command) or _CLIENT.search(command.translate(_QUOTES))
    if client and ("{" in command or "[" in command):
        names = f"it names {client[1]} and holds a brace or bracket"
    elif (found := _PLAIN.search(command)) and "}" in command[found.end() :]:
        names = "it holds -d with {...} in quotes"
    else:
        return Judgement(refused=False, parsed=False)
    return Judgement(refused=True, reason=f"Refused. {start}{names}. {_INSTEAD}", parsed=False)


_INSTEAD = (
    "Correct the syntax (an open quote or heredoc?) or split the command. JSON goes through a "
    'file: `echo \'{"k":"v"}\' > body.json`, then `curl -d @body.json URL`.'
)
