"""Words of two languages that mean the same in bug reports, and those of one subject.

A concept (`concepts.txt`) holds words that mean the same, a field (`fields.txt`) those of a wider
subject. Each is named by the first word of its line.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from devloop_tools.domain.documents.search_terms import is_cjk
from devloop_tools.domain.documents.stems import stem

CONCEPT, FIELD = "~", "^"
"""What terms of these kinds start with."""

_FILES = {CONCEPT: "concepts.txt", FIELD: "fields.txt"}


@cache
def meanings_of_stems() -> Mapping[str, tuple[str, ...]]:
    """The concepts and fields that an English stem stands for."""
    found: dict[str, dict[str, None]] = {}
    for term, word in _words():
        if not is_cjk(word):
            found.setdefault(stem(word), {})[term] = None
    return {key: tuple(terms) for key, terms in found.items()}


def meanings_in(run: str) -> Iterator[str]:
    """What the words in a run of Chinese stand for, each as often as it stands there."""
    words = _by_start()
    for place in range(len(run)):
        for word, terms in words.get(run[place : place + 2], ()):
            if run.startswith(word, place):
                yield from terms
        for _, terms in words.get(run[place], ()):
            yield from terms


@cache
def _by_start() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """The Chinese words by their first two characters, with what they stand for."""
    meant: dict[str, dict[str, None]] = {}
    for term, word in _words():
        if is_cjk(word):
            meant.setdefault(word, {})[term] = None
    starts: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for word, terms in meant.items():
        starts.setdefault(word[:2], []).append((word, tuple(terms)))
    return starts


def _words() -> Iterator[tuple[str, str]]:
    for kind, name in _FILES.items():
        text = (files(__package__) / name).read_text(encoding="utf-8")
        for line in text.splitlines():
            words = line.split()
            if words and not line.startswith("#"):
                yield from ((kind + words[0], word) for word in words)
