"""What the guard says about one command."""

from typing import NamedTuple


class Judgement(NamedTuple):
    """Whether a Bash command is refused, and what to write instead."""

    refused: bool
    reason: str = ""
    """Why it is refused and what to do, for whoever wrote the command; empty when it passes."""
    rewritten: str | None = None
    """The same command with its bodies in files, where that could be told."""
    parsed: bool = True
    """False when the command couldn't be read as Bash and its text alone was judged."""
