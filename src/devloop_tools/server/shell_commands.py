"""What a shell command of an agent may not hold: bodies written inline, and our own state.

A fence, not a wall: whoever may run any command can build a name in ways that nobody sees.
"""

import os
import re
from pathlib import Path

from devloop_tools.guard.judgement import Judgement
from devloop_tools.storage.sandbox import Sandbox

SHELL_TOOLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools of the CLI that run what their `command` says."""

_QUOTING = re.compile(r"\\\n|[\\'\"]")
_STARTERS = re.compile(r"devloop[-_]tools(?:\.[\w.]+)?\s+(?P<name>serve|launch)(?![\w-])")
"""Commands with which an agent would start another one."""


def fault_in_command(
    command: object, root: Path, sandbox: Sandbox, folder: Path | None = None
) -> tuple[str, str] | None:
    """The rule that a command breaks, and what to do instead; None for one that may run.

    `folder` is where it would run, the project folder if none is given.
    """
    if not isinstance(command, str):
        return "command", "command: a text is expected"
    if found := _STARTERS.search(_QUOTING.sub("", command)):
        return "fence", (
            f"devloop-tools {found['name']} is for the people who run the agents; "
            "call the tools you have"
        )
    fenced, judged = _judgements(command, sandbox, folder or root)
    if fenced.refused:
        return "fence", fenced.reason
    return ("guard", judged.reason) if judged.refused else None


def _judgements(command: str, sandbox: Sandbox, folder: Path) -> tuple[Judgement, Judgement]:
    """What the guard says of names that are closed, and of bodies."""
    from devloop_tools.guard.fences import forbidden
    from devloop_tools.guard.judging import judge

    home = os.environ.get("HOME", "")
    known = {"HOME": home, "XDG_CONFIG_HOME": os.environ.get("XDG_CONFIG_HOME", f"{home}/.config")}
    closed = [str(place) for place in sandbox.configuration]
    fenced = forbidden(command, folders=closed, cwd=str(folder), variables=known)
    return fenced, fenced if fenced.refused else judge(command)
