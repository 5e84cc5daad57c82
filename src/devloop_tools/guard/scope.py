"""What a shell knows while its commands are walked: variables, functions, arguments, files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from devloop_tools.guard.syntax import Source, Tree
from devloop_tools.guard.values import HOLE, SEAM, Alternatives, Unreadable, either

MAX_STEPS = 20_000
MAX_DEPTH = 40
MAX_CARRIED = 5_000_000


class Word(NamedTuple):
    """A word of a command after all expansions, and where it stands in the command's source."""

    text: str
    start: int = -1
    end: int = -1
    """-1 where the word was made by an expansion, or found in another piece of source."""


class Feed(NamedTuple):
    """What brings a command its input, as it is written: a pipe, a heredoc or a herestring."""

    kind: str
    start: int
    end: int
    """The places of the `|` with the space around it, or of the redirection."""


class Place(NamedTuple):
    """Where a command stands in the source."""

    start: int
    end: int
    grouped: bool
    """Whether a command put before it would change what the source means."""
    feed: Feed | None = None


class Invocation(NamedTuple):
    """A simple command as it would be run."""

    words: Sequence[Word]
    stdin: str
    files: Mapping[str, str]
    """What is known to be in files that exist for this command alone: `/dev/fd/63`."""
    folder: str
    """The folder it runs in, below that of the whole command; a hole where that isn't known."""
    place: Place | None = None


class Function(NamedTuple):
    """A function's body, and the source in which it stands."""

    body: Tree
    source: Source


class Meter:
    """Ends a walk that goes on for too long."""

    def __init__(self) -> None:
        self._steps = 0
        self._carried = 0

    def step(self, depth: int) -> None:
        """One thing more is looked at.

        Raises:
            Unreadable: It was one too many, or too deep inside others.
        """
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Unreadable("it takes too many steps to follow")
        if depth > MAX_DEPTH:
            raise Unreadable(f"it nests commands deeper than {MAX_DEPTH}")

    def carry(self, texts: Iterable[str]) -> None:
        """Texts are handed on: kept in a variable, made words, or printed.

        Raises:
            Unreadable: All that was handed on is too much.
        """
        self._carried += sum(map(len, texts))
        if self._carried > MAX_CARRIED:
            raise Unreadable("its texts grow too large")


class Scope:
    """Variables, functions and the rest, as they stand at one point of a script."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.variables: dict[str, Alternatives] = {}
        self.functions: dict[str, Function] = {}
        self.arguments: Alternatives | None = None
        """`$1` and what follows; None where they come from outside."""
        self.files: dict[str, str] = {}
        self.folder = ""

    def fork(self, arguments: Alternatives | None = None) -> "Scope":
        """The scope of a subshell: what happens in it is not seen here."""
        child = Scope(self.meter)
        child.variables = dict(self.variables)
        child.functions = dict(self.functions)
        child.files = dict(self.files)
        child.arguments = self.arguments if arguments is None else arguments
        child.folder = self.folder
        return child

    def assign(self, name: str, values: Alternatives, *, maybe: bool, more: bool = False) -> None:
        """Give a variable its value; `maybe` when that may not happen, `more` to append."""
        self.meter.carry(values)
        old = self.variables.get(name)
        if more and old is not None:
            values = tuple(before + value for before in old for value in values)[:8]
        self.variables[name] = either(values, old) if maybe and old is not None else values

    def value(self, name: str) -> Alternatives | None:
        """The texts that a variable may have, None where nothing is known of it."""
        if name.isdecimal() and name != "0":
            return self._argument(int(name[:6]))
        if name in ("@", "*"):
            return None if self.arguments is None else (SEAM.join(self.arguments),)
        return self.variables.get(name)

    def _argument(self, number: int) -> Alternatives | None:
        if self.arguments is None:
            return None
        return (self.arguments[number - 1],) if number <= len(self.arguments) else ("",)

    def add_file(self, content: str) -> str:
        """Keep what a process substitution brings; the name under which it is read."""
        name = f"/dev/fd/{len(self.files) + 63}"
        self.files[name] = content
        return name

    def read(self, path: str, stdin: str) -> str:
        """The content of a file, a hole for one that lies on the disk."""
        if path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            return stdin
        return self.files.get(path.replace("/proc/self/fd/", "/dev/fd/"), HOLE)


class Frame(NamedTuple):
    """Where a walk stands: what is known there, and what its commands read."""

    scope: Scope
    source: Source
    stdin: str = HOLE
    depth: int = 0
    maybe: bool = False
    """Inside a branch or a loop: what is assigned here may not be."""
    grouped: bool = False
    """As in `Place`."""
    feed: Feed | None = None
    calls: frozenset[int] = frozenset()
    """The functions, by their bodies, that are being called: none is followed into itself."""

    def deeper(self) -> "Frame":
        """The frame of what stands inside."""
        return self._replace(depth=self.depth + 1)

    def forked(self) -> "Frame":
        """The frame of a subshell."""
        return self._replace(scope=self.scope.fork(), depth=self.depth + 1)
