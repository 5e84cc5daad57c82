"""What no Bash command of an agent may name: the server's own state, and its commands for people.

An agent's shell runs as the same user as the server, so this is a fence and no wall: a program
that builds such a name by itself is not seen.
"""

import re
from collections.abc import Mapping, Sequence

from devloop_tools.guard.closed_paths import (
    DATABASE,
    STATE,
    Surroundings,
    named_in,
    named_in_code,
    pattern_names_state,
)
from devloop_tools.guard.judgement import Judgement
from devloop_tools.guard.own_commands import own_command, own_command_in_text
from devloop_tools.guard.programs import program_of
from devloop_tools.guard.scope import Invocation
from devloop_tools.guard.shell import walk
from devloop_tools.guard.texts import code_in, only_reads, paths_in, patterns_in
from devloop_tools.guard.values import Unreadable

_EMPTY = re.compile(r"['\"\\]|\$\(\)|\$[@*]|``")
"""What a shell takes away, when a command can't be parsed."""

_FORBIDDEN_PATH = (
    "Refused: the command names {name}, which belongs to the tool server. Use its tools instead "
    "(runtime state, todo list, timeline, memory); cat, head, jq and grep may read "
    f"{STATE}/results/."
)
_FORBIDDEN_CONFIGURATION = (
    "Refused: the command names {name}. Who may do what is a person's decision: ask for a change."
)
_FORBIDDEN_COMMAND = (
    "Refused: the command runs `devloop-tools {name}`, which is for people. {instead}"
)
_INSTEAD = {
    "call": "Call the tool itself.",
    "approvals": "A person decides; wait for the decision.",
    "upstreams": "Ask a person to change the upstream servers.",
    "?": "Which of its commands this would be can't be told: write its name out.",
}


def forbidden(
    command: str,
    *,
    folders: Sequence[str] = (),
    cwd: str = "",
    variables: Mapping[str, str] | None = None,
) -> Judgement:
    """Whether a command names what is closed to every agent, however it spells it.

    Args:
        command: As the Bash tool would hand it to `bash -c`.
        folders: Absolute paths of configuration folders that are closed too.
        cwd: The folder in which the command would run; "" when that isn't known.
        variables: What is known of the environment; `HOME` is what `~` stands for.

    Returns:
        A refusal with its reason, or a judgement that lets the command pass. Never raises; what
        can't be parsed is judged by its text.
    """
    known = dict(variables or {})
    closed = tuple(folder.rstrip("/") for folder in folders if folder.startswith("/"))
    names = _Names(Surroundings(closed, cwd, known.get("HOME", "")))
    try:
        walk(command, names, known)
    except Unreadable:
        names.code(_EMPTY.sub("", command))
        return Judgement(names.reason != "", names.reason, parsed=False)
    return Judgement(names.reason != "", names.reason)


class _Names:
    """Keeps the first reason of a walk."""

    def __init__(self, around: Surroundings) -> None:
        self.reason = ""
        self._around = around

    def command(self, invocation: Invocation) -> None:
        """Look at a command's words, patterns and code."""
        words = invocation.words
        name = program_of(words[0].text)
        if found := own_command(words):
            self._run(found)
        reads = only_reads(name, words)
        for text in paths_in(name, words):
            self._path(text, invocation.folder, reads=reads)
        if any(pattern_names_state(text) for text in patterns_in(name, words)):
            self._named(f"{STATE}/ or {DATABASE}")
        for code in code_in(name, words, invocation.stdin):
            self.code(code)

    def target(self, name: str, folder: str, *, written: bool) -> None:
        """Look at the file of a redirection."""
        self._path(name, folder, reads=not written)

    def code(self, text: str) -> None:
        """Look at text that some program runs."""
        if found := own_command_in_text(text):
            self._run(found)
        if name := named_in_code(text, self._around):
            self._named(name)

    def _path(self, text: str, folder: str, *, reads: bool) -> None:
        if name := named_in(text, folder, self._around, reads=reads):
            self._named(name)

    def _named(self, name: str) -> None:
        about = _FORBIDDEN_CONFIGURATION if name.startswith("the conf") else _FORBIDDEN_PATH
        self.reason = self.reason or about.format(name=name)

    def _run(self, name: str) -> None:
        shown = "..." if name == "?" else name
        self.reason = self.reason or _FORBIDDEN_COMMAND.format(name=shown, instead=_INSTEAD[name])
