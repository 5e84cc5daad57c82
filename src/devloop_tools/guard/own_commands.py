"""The server's own commands that are for people: approvals, upstreams, call."""

import re
from collections.abc import Sequence

from devloop_tools.guard.programs import program_of
from devloop_tools.guard.scope import Word
from devloop_tools.guard.values import HOLE, bare, glob_of, plain

FOR_PEOPLE = ("approvals", "upstreams", "call")

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*w?")
_STARTERS = frozenset({"uv", "uvx", "pipx", "poetry", "pipenv", "hatch", "pdm", "rye", "nix"})
_MODULE = re.compile(r"(?:-[A-Za-z]*m)?devloop_tools(?:\.__main__|\.cli(?:\.\w+)?)?")
_FILE = re.compile(r"devloop_tools(?:/__main__\.py|/cli/\w+\.py)?/?$")
_IN_TEXT = re.compile(
    r"devloop[-_]tools(?:\.__main__)?[\s\"',\[\]]{1,20}(?:-[\w-]{1,40}\s+){0,9}(approvals|upstreams|call)\b"
)


def own_command(words: Sequence[Word]) -> str | None:
    """What of `FOR_PEOPLE` the words run; `?` when that can't be told; None for anything else."""
    start = _start(words)
    if start is None:
        return None
    for word in words[start:]:
        if word.text.startswith("-"):
            continue
        text = bare(word.text)
        if HOLE in word.text or glob_of(word.text) is not None:
            return "?"
        return text if text in FOR_PEOPLE else None
    return None


def own_command_in_text(text: str) -> str | None:
    """The same of text: a command that can't be parsed, a program's code."""
    found = _IN_TEXT.search(text)
    return found[1] if found else None


def _start(words: Sequence[Word]) -> int | None:
    """Where the words behind `devloop-tools` begin, if it is what they run."""
    name = program_of(words[0].text)
    if name == "devloop-tools":
        return 1
    texts = [plain(word.text).replace(HOLE, "") for word in words]
    if _PYTHON.fullmatch(name):
        for position, text in enumerate(texts[1:], 1):
            if _MODULE.fullmatch(text) or _FILE.search(text) or program_of(text) == "devloop-tools":
                return position + 1
    if name in _STARTERS:
        for position, text in enumerate(texts[1:], 1):
            if program_of(text.partition("@")[0]) == "devloop-tools" and text[:1] != "-":
                return position + 1
    return None
