"""What a shell command of an agent may not hold: bodies written inline, and our own state.

A fence, not a wall: whoever may run any command can spell a name in ways that nobody reads.
"""

import os
import re
from pathlib import Path

from devloop_tools.guard.judgement import Judgement
from devloop_tools.storage.sandbox import Sandbox

SHELL_TOOLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools of the CLI that run what their `command` says."""

_QUOTING = re.compile(r"\\\n|[\\'\"]")
_STATE = re.compile(r"(?:^|[^\w.])\.devloop(?![\w-])|(?:^|[^\w.-])state\.db(?![\w-])")
_OURS = re.compile(
    r"devloop[-_]tools(?:\.[\w.]+)?\s+(?P<command>approvals|upstreams|call|serve|launch)(?![\w-])"
)


def judgement_on(command: str) -> Judgement:
    """What the guard says about a command."""
    from devloop_tools.guard.judging import judge

    return judge(command)


def fault_in_command(command: object, root: Path, sandbox: Sandbox) -> tuple[str, str] | None:
    """The rule that a command breaks, and what to do instead; None for one that may run."""
    if not isinstance(command, str):
        return "command", "command: a text is expected"
    text = _QUOTING.sub("", command)
    if found := _OURS.search(text):
        name = found["command"]
        return f"closed devloop-tools {name}", (
            f"devloop-tools {name} is for the people who run the agents; call the tools you have"
        )
    if _STATE.search(text):
        return "closed .devloop", (
            ".devloop/ is the server's own state and closed; its tools tell what is in it"
        )
    if found := _configuration(root, sandbox).search(text):
        return f"closed {found[0]}", (
            f"{found[0]} holds the configuration of the agents and is closed to them"
        )
    judgement = judgement_on(command)
    return ("guard", judgement.reason) if judgement.refused else None


def _configuration(root: Path, sandbox: Sandbox) -> re.Pattern[str]:
    """How a command may name a folder of configuration, one inside the project relative to it."""
    home = os.path.expanduser("~")
    names = {"tools.d"}
    for folder in sandbox.configuration:
        names.add(str(folder))
        if folder.is_relative_to(root):
            names.add(str(folder.relative_to(root)))
        if folder.is_relative_to(home):
            below = folder.relative_to(home)
            names |= {f"{start}/{below}" for start in ("~", "$HOME", "${HOME}")}
    known = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<![\w.-])(?:{known})(?![\w-])", re.IGNORECASE)
