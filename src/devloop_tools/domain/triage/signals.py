"""The signals by which a bug report is judged, read from `signals/*.toml`, and the search for one.

A file's `[[signal]]` has a name, weights per category (below zero: it speaks against), patterns of
which one has to be found, and if need be a check on what was found. Patterns are regular
expressions over several lines, whose outer blanks don't count; case doesn't either, `.` stays on
one line, and `<<name>>` stands for a list of `lists.toml`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.triage.checks import CHECKS

_FILES = ("runs", "places", "versions", "contracts", "requirements", "tests", "code", "words")
_LIST = re.compile(r"<<(\w+)>>")
_AROUND = 24
_LONGEST = 160
_MOST_WORDS = 6
_FULL_WORDS = 4
"""Different words at which a signal that grows has its weight."""

_CLEARLY_AGAINST = -1.2


@dataclass(frozen=True, slots=True)
class Signal:
    """Something that a report says, and how much it speaks for (or against) each category."""

    name: str
    weights: Mapping[Category, float]
    patterns: tuple[str, ...]
    check: str | None = None
    grows: bool = False

    @property
    def is_against(self) -> bool:
        """Whether it speaks first of all against something."""
        least = min(self.weights.values())
        return least <= _CLEARLY_AGAINST and -least >= max(self.weights.values())


@dataclass(frozen=True, slots=True)
class Found:
    """A signal, the words that gave it, and how strong it is (1 is its weight as it stands)."""

    signal: Signal
    quote: str
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Together:
    """What signals say together: all of `needs`, one of `any_of`, none of `without`."""

    signal: Signal
    needs: frozenset[str]
    any_of: frozenset[str]
    without: frozenset[str]

    def holds(self, names: frozenset[str]) -> bool:
        """Whether the signals of these names say it."""
        has_one = not self.any_of or bool(self.any_of & names)
        return self.needs <= names and has_one and not self.without & names


@cache
def signals() -> Sequence[Signal]:
    """All of them. Read when they are first needed: most servers judge no bug."""
    lists = _table("lists")["lists"]
    return tuple(
        Signal(
            name=entry["name"],
            weights=_weights(entry),
            patterns=tuple(_pattern(text, lists) for text in entry["patterns"]),
            check=entry.get("check"),
            grows=entry.get("grows", False),
        )
        for name in _FILES
        for entry in _table(name)["signal"]
    )


@cache
def together() -> Sequence[Together]:
    """What signals say together."""
    return tuple(
        Together(
            signal=Signal(entry["name"], _weights(entry), ()),
            needs=frozenset(entry["with"]),
            any_of=frozenset(entry.get("any", ())),
            without=frozenset(entry.get("without", ())),
        )
        for entry in _table("together")["together"]
    )


def said_together(found: Sequence[Found]) -> list[Found]:
    """What the signals that were found say together."""
    strong = frozenset(hit.signal.name for hit in found if hit.strength >= 1)
    quotes = {hit.signal.name: hit.quote for hit in found}
    return [
        Found(rule.signal, quotes[min(rule.needs)]) for rule in together() if rule.holds(strong)
    ]


def find(signal: Signal, text: str) -> Found | None:
    """The signal with the first words that give it."""
    if signal.grows:
        return _gathered(signal, text)
    holds = CHECKS[signal.check] if signal.check else None
    for pattern in signal.patterns:
        for match in _compiled(pattern).finditer(text):
            if holds is None or holds(match):
                return Found(signal, _quote(text, match))
    return None


def _gathered(signal: Signal, text: str) -> Found | None:
    matches = (match for pattern in signal.patterns for match in _compiled(pattern).finditer(text))
    words = list(dict.fromkeys(match[0].lower() for match in matches))
    if not words:
        return None
    strength = min(len(words), _MOST_WORDS) / _FULL_WORDS
    return Found(signal, ", ".join(words)[:_LONGEST], strength)


def _weights(entry: Mapping[str, Any]) -> dict[Category, float]:
    return {Category(name): value for name, value in entry["weights"].items()}


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / f"signals/{name}.toml").read_text(encoding="utf-8"))


def _pattern(text: str, lists: Mapping[str, str]) -> str:
    return _LIST.sub(lambda found: _joined(lists[found[1]]), _joined(text))


def _joined(text: str) -> str:
    return "".join(line.strip() for line in text.splitlines())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _quote(text: str, match: re.Match[str]) -> str:
    start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _AROUND)
    end = text.find("\n", match.end())
    end = min(end if end >= 0 else len(text), match.end() + _AROUND)
    return " ".join(text[start:end].split())[:_LONGEST]
