"""`when`: the arguments of a call for which a rule holds.

A rule that restricts holds when any reading of an argument fits, a rule that grants only when all
do. What counts as a reading: a path also without its detours (`a/../b`), each item of a list, and
of a shell command each command in it.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.registry.globs import glob

SHELL_FIELD = "command"
"""The argument of the CLI's own Bash that holds a shell command."""

_MORE_THAN_ONE_COMMAND = re.compile(r"[;&|<>()`$\n\\]")
_BETWEEN_COMMANDS = re.compile(r"[;&|()`{}\n]+|\$\(")
_DETOUR = re.compile(r"//|(?:^|/)\.\.?(?:/|$)")

Scalar = str | int | float | bool | None


@frozen
class Condition:
    """One argument, and the globs or values of which it must have one."""

    field: str
    wanted: tuple[Scalar, ...]

    def holds(self, arguments: Mapping[str, Any], *, restricts: bool) -> bool:
        """Whether a call with these arguments is meant. An absent argument never is."""
        if self.field not in arguments:
            return False
        values = list(_leaves(arguments[self.field]))
        if restricts:
            return any(self._fits(text) for value in values for text in self._readings(value))
        return bool(values) and all(self._fits_surely(value) for value in values)

    def __str__(self) -> str:
        wanted = "|".join(w if isinstance(w, str) else json.dumps(w) for w in self.wanted)
        return f"{self.field}={wanted}"

    def _fits(self, value: Scalar) -> bool:
        return any(_is_wanted(value, wanted) for wanted in self.wanted)

    def _fits_surely(self, value: Scalar) -> bool:
        if value in self.wanted:
            return self._fits(value)
        if self.field == SHELL_FIELD and _MORE_THAN_ONE_COMMAND.search(str(value)):
            return False
        return all(self._fits(text) for text in self._readings(value))

    def _readings(self, value: Scalar) -> Iterator[Scalar]:
        yield value
        if not isinstance(value, str):
            return
        if _DETOUR.search(value):
            yield posixpath.normpath(value)
        if self.field == SHELL_FIELD:
            for command in _BETWEEN_COMMANDS.split(value.replace("\\\n", " ")):
                yield " ".join(command.split())


def _is_wanted(value: Scalar, wanted: Scalar) -> bool:
    if not isinstance(wanted, str):
        return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted
    text = value if isinstance(value, str) else json.dumps(value)
    return glob(wanted).fullmatch(text) is not None


def _leaves(value: Any) -> Iterator[Scalar]:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Mapping() as parts:
                waiting += parts.values()
            case list() | tuple() as parts:
                waiting += parts
            case leaf:
                yield leaf
