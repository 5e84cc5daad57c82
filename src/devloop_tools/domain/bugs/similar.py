"""Finds bugs that may be the same: by their words and meanings, then by how they fail.

First BM25 over the terms of all bugs (Robertson and Zaragoza, The Probabilistic Relevance
Framework: BM25 and Beyond, 2009, section 3.4). The best of them are then looked through for the
failure modes that they touch, because a cause and its symptom share no word.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from devloop_tools.domain.bugs.concepts import CONCEPT, FIELD
from devloop_tools.domain.bugs.failure_modes import Phrase, phrases_in
from devloop_tools.domain.bugs.terms import IDENTIFIER, MAX_TEXT, readable, terms_of

SATURATION = 1.2
"""BM25's k1: how soon a word that is repeated stops to count."""

LENGTH_WEIGHT = 0.4
"""BM25's b: how much a long text is held back."""

BREADTH_WEIGHT = 0.3
"""How much a bug is held back that says many rare things of which the query says few."""

MODE_WEIGHT = 2.0
"""What a failure mode weighs beside a word that is as rare."""

SHORTLIST = 300
"""So many bugs are looked through for failure modes, which takes longer than their words."""

_WEIGHTS = {IDENTIFIER: 2.0, CONCEPT: 1.0, FIELD: 1.0}
_MODE = "failure mode: "
_KEPT = 5_000
"""Bugs whose terms are kept from one search to the next."""


@dataclass(frozen=True, slots=True)
class Known:
    """A bug as the search knows it; `terms` are counted as often as they stand in it."""

    id: str
    text: str
    terms: Counter[str]


@dataclass(frozen=True, slots=True)
class Match:
    """How alike a bug is, from 0 to 1 (the same text), and the terms that say so, best first."""

    id: str
    score: float
    shared: Sequence[str]


@lru_cache(maxsize=_KEPT)
def known(name: str, title: str, text: str) -> Known:
    """A bug taken apart, to be looked for or among."""
    return Known(name, f"{title}\n{text}"[:MAX_TEXT], terms_of(title, text))


def rank(query: Known, bugs: Sequence[Known], limit: int) -> list[Match]:
    """The bugs that share most with the query, best first, but for those that share nothing."""
    words = _Words(bugs)
    gains = [(bug, words.gains(query, bug)) for bug in bugs]
    gains.sort(key=lambda pair: -sum(pair[1].values()))
    best = gains[:SHORTLIST]
    modes = _Modes([bug.text for bug, _ in best])
    asked = modes.strengths(query.text)
    most = words.own(query) + sum(asked.values())
    matches = []
    for bug, of_words in best:
        told = modes.strengths(bug.text)
        shared = of_words | {mode: min(asked[mode], told[mode]) for mode in asked if mode in told}
        if shared:
            own = words.own(bug) + sum(told.values())
            score = sum(shared.values()) / most * (most / own) ** BREADTH_WEIGHT
            first = sorted(shared, key=lambda term: (-shared[term], term))
            matches.append(Match(bug.id, round(min(1.0, score), 3), readable(first)))
    return sorted(matches, key=lambda match: -match.score)[:limit]


def _rarity(holders: int, bugs: int) -> float:
    return math.log(1 + (bugs - holders + 0.5) / (holders + 0.5))


class _Words:
    """What terms add to the score, by how many of the bugs hold them."""

    def __init__(self, bugs: Sequence[Known]) -> None:
        holders = Counter(term for bug in bugs for term in bug.terms)
        self._weights = {
            term: _WEIGHTS.get(term[0], 1.0) * _rarity(number, len(bugs))
            for term, number in holders.items()
        }
        self._unheld = _rarity(0, len(bugs))
        self._usual = sum(bug.terms.total() for bug in bugs) / max(1, len(bugs)) or 1.0

    def gains(self, query: Known, bug: Known) -> dict[str, float]:
        """What each shared term adds."""
        terms = bug.terms
        length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * terms.total() / self._usual
        held = SATURATION * length
        return {
            term: self._weight(term) * terms[term] * (SATURATION + 1) / (terms[term] + held)
            for term in query.terms
            if term in terms
        }

    def own(self, bug: Known) -> float:
        """What a bug would get for itself."""
        return sum(self.gains(bug, bug).values())

    def _weight(self, term: str) -> float:
        found = self._weights.get(term)
        return _WEIGHTS.get(term[0], 1.0) * self._unheld if found is None else found


class _Modes:
    """What failure modes add to the score, by how many texts touch them.

    A mode counts as much as it and the phrase that tells it are rare, in the text that tells it
    with the more usual one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        told = [phrases_in(text) for text in texts]
        self._texts = len(texts)
        self._phrases = Counter(phrase for phrases in told for phrase in phrases)
        self._modes = Counter(mode for phrases in told for mode in _names(phrases))

    def strengths(self, text: str) -> dict[str, float]:
        """How surely the text touches each mode."""
        found: dict[str, float] = {}
        for phrase in phrases_in(text):
            rare = _rarity(self._modes[phrase.mode], self._texts)
            told = MODE_WEIGHT * math.sqrt(rare * _rarity(self._phrases[phrase], self._texts))
            found[_MODE + phrase.mode] = max(found.get(_MODE + phrase.mode, 0.0), told)
        return found


def _names(phrases: Iterable[Phrase]) -> set[str]:
    return {phrase.mode for phrase in phrases}
