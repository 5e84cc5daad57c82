"""Stack traces that are not read: by what each is known, so that one can say so."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from devloop_tools.domain.evidence.lines import Line


@dataclass(frozen=True, slots=True)
class UnreadTrace:
    """The first line of a language's traces, and how many lines looked like it."""

    language: str
    line: int
    text: str
    lines: int


_TRACES = (
    ("Java or Kotlin", re.compile(r"^\s*at [\w.$/]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)")),
    ("C#", re.compile(r"^\s*at [\w.<>`,\[\] ]+\(.*\) in .+:line \d+")),
    ("Go", re.compile(r"^goroutine \d+ \[|^\s+\S+\.go:\d+(?: \+0x|$)")),
    ("Rust", re.compile(r"^thread '.*' panicked at |^\s+at \S+\.rs:\d+")),
    ("Ruby", re.compile(r"^\s*(?:from )?\S+\.rb:\d+:in ")),
    ("PHP", re.compile(r"^#\d+ \S+\.php\(\d+\): ")),
    ("C or C++", re.compile(r"^\s*#\d+\s+0x[0-9a-f]+ in \S+")),
    ("Swift or Objective-C", re.compile(r"^\d+\s+\S+\s+0x[0-9a-f]{8,} .+ \+ \d+$")),
    ("Elixir or Erlang", re.compile(r"^\s+\(\w+ [\d.]+\) \S+\.(?:exs?|erl):\d+: ")),
    ("Perl", re.compile(r" at \S+\.p[lm] line \d+\.$")),
    ("Lua", re.compile(r"^\s+\S+\.lua:\d+: in ")),
    ("Dart", re.compile(r"^#\d+\s+\S+ \((?:package|dart|file):")),
)


HINTS = (
    ".java:", ".kt:", ".scala:", ".groovy:", ":line ", "goroutine ", ".go:", "panicked at ", ".rs:",
    ".rb:", ".php(", " 0x", ".ex:", ".exs:", ".erl:", ".pl line", ".pm line", ".lua:", "(package:",
    "(dart:", "(file:",
)  # fmt: skip
"""Of these a line holds one at least, if it is of a trace named here."""

_LONGEST = 600


class UnreadTraces:
    """Watches lines go by."""

    def __init__(self) -> None:
        self._found: dict[str, UnreadTrace] = {}

    def watch(self, lines: Iterable[Line]) -> Iterable[Line]:
        """The same lines."""
        for line in lines:
            if len(line.text) < _LONGEST and any(hint in line.text for hint in HINTS):
                self._look(line)
            yield line

    def found(self) -> list[UnreadTrace]:
        """What looked like a trace of a language that is not read."""
        return list(self._found.values())

    def _look(self, line: Line) -> None:
        for language, pattern in _TRACES:
            if pattern.search(line.text):
                known = self._found.get(language)
                count = known.lines + 1 if known else 1
                first = known or UnreadTrace(language, line.number, line.text.strip()[:200], 1)
                self._found[language] = UnreadTrace(language, first.line, first.text, count)
                return
