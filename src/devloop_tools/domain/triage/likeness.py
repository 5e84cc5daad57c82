"""What kind of reports a report's words are known from, by counting: naive Bayes over words.

`known_words.json` says in how many example reports of each category a word stands. It is made from
`tests/corpora/own/bug_reports.jsonl` by `make snapshots`. Words are the stems and Chinese bigrams
of `find_similar_bug`; its identifiers, concepts and fields count for nothing here.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.bugs.terms import KINDS, terms_of

WORDS_FILE = "known_words.json"
LEAST_REPORTS = 2
"""In so many examples a word stands at least, to be counted."""

_SMOOTHING = 0.3
_WEIGHT = 0.25
"""How much a word says beside the signals: they are surer."""

_TELLING = 8


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much a report's words speak for each category, and the words that say most for it."""

    scores: Mapping[Category, float]
    telling: Mapping[Category, Sequence[str]]


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Example reports per category, and how many of them hold each word, in the same order."""

    reports: tuple[int, ...]
    words: Mapping[str, Sequence[int]]


def likeness(text: str, known: KnownWords) -> Likeness:
    """What the words of a report say, in the unit of the signals' weights."""
    words = [word for word in words_of(text) if word in known.words]
    gains = {word: _gains(known.words[word], known.reports) for word in words}
    scores, telling = {}, {}
    for place, category in enumerate(Category):
        scores[category] = round(_WEIGHT * sum(gain[place] for gain in gains.values()), 2)
        best = sorted(words, key=lambda word: -gains[word][place])[:_TELLING]
        telling[category] = [word for word in best if gains[word][place] > 0]
    return Likeness(scores, telling)


def words_of(text: str) -> list[str]:
    """The words of a report that count here, each once."""
    title, _, rest = text.partition("\n")
    return [term for term in terms_of(title, rest) if term[0] not in KINDS]


def count(reports: Iterable[tuple[Category, str]]) -> KnownWords:
    """The words of example reports."""
    order = list(Category)
    totals = [0] * len(order)
    words: dict[str, list[int]] = {}
    for category, text in reports:
        place = order.index(category)
        totals[place] += 1
        for word in words_of(text):
            words.setdefault(word, [0] * len(order))[place] += 1
    kept = {word: words[word] for word in sorted(words) if sum(words[word]) >= LEAST_REPORTS}
    return KnownWords(tuple(totals), kept)


@cache
def known_words() -> KnownWords:
    """The words that the package knows. Read when they are first needed."""
    raw: dict[str, Any] = orjson.loads((files(__package__) / WORDS_FILE).read_bytes())
    return KnownWords(tuple(raw["reports"]), raw["words"])


def as_json(known: KnownWords) -> bytes:
    """The file's content, a word a line."""
    lines = [
        f"  {orjson.dumps(word).decode()}: {orjson.dumps(counts).decode()}"
        for word, counts in known.words.items()
    ]
    head = f'{{"reports": {orjson.dumps(known.reports).decode()},\n "words": {{\n'
    return (head + ",\n".join(lines) + "\n}}\n").encode()


def _gains(counts: Sequence[int], reports: Sequence[int]) -> list[float]:
    """For each category the logarithm of how much more often the word stands in its reports."""
    many = len(reports)
    usual = (sum(counts) + many * _SMOOTHING) / (sum(reports) + 2 * many * _SMOOTHING)
    shares = (
        (count + _SMOOTHING) / (total + 2 * _SMOOTHING)
        for count, total in zip(counts, reports, strict=True)
    )
    return [math.log(share / usual) for share in shares]
