"""Finds bugs that may be the same: BM25 over words, identifiers and meanings in two languages.

A bug is known by Chinese bigrams, English stems, identifiers (which weigh most and are the same in
every language) and concepts, by which an English report finds a Chinese one. Robertson and
Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), section 3.4.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from devloop_tools.domain.bugs.concepts import concepts_of_phrases, concepts_of_stems, phrases
from devloop_tools.domain.documents.search_terms import CJK, MAX_WORD
from devloop_tools.domain.documents.stems import stem

SATURATION = 1.2
"""BM25's k1: how soon a word that is repeated stops to count."""

LENGTH_WEIGHT = 0.4
"""BM25's b: how much a long text is held back."""

TITLE_WEIGHT = 2
MAX_TEXT = 20_000

IDENTIFIER, CONCEPT = "=", "~"
"""What terms of these kinds start with; others are stems and bigrams."""

_WEIGHTS = {IDENTIFIER: 3.0, CONCEPT: 1.0}
_EMPTY_ZH = (
    "的了是在和与就都也还把被会要能不没有这那个一些个去来到从对为以及而且但或又再时候上下里中后前"
)
"""Characters that stand in every text; no bigram goes over them."""

_RUN = re.compile(f"(?:(?![{_EMPTY_ZH}])[{CJK}])+")
_WORD = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(?<![\w/])(?:"
    r"/[\w{}:.-]+(?:/[\w{}:.*-]+)*"  # /todos/:id
    r"|[A-Za-z_][\w-]*(?:[./][\w-]+)+"  # src/cart.ts, cart.total
    r"|[A-Za-z]+(?:_[A-Za-z0-9]+)+"  # title_empty, MAX_SIZE
    r"|[a-z]+(?:[A-Z][a-z0-9]*)+"  # createTodo
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # TodoList
    r"|[A-Z]{1,10}-?[0-9]{1,6}|E[A-Z]{4,}"  # TS2322, ECONNREFUSED
    r")",
    re.ASCII,
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_NUMBER = re.compile(r"(?<![\w.])[0-9]{2,6}(?![\w.])", re.ASCII)
_STOP = frozenset(
    """the and for with that this from not are was were has have had but its it's is in on of to at
    by as an be or if when then than into out up off over after before while only also can could
    does did done will would should there their them they you your our we he she his her which what
    who how why all any each no nor so too very just still same other another some such more most
    one two get gets got set sets""".split()
)


@dataclass(frozen=True, slots=True)
class Known:
    """A bug as the search knows it: its id, and its terms with how often they stand in it."""

    id: str
    terms: Counter[str]


@dataclass(frozen=True, slots=True)
class Match:
    """How alike a bug is, from 0 to 1 (the same text), and the terms that say so, best first."""

    id: str
    score: float
    shared: Sequence[str]


def terms_of(title: str, text: str) -> Counter[str]:
    """The terms of a report; those of its title count twice."""
    terms = Counter(_terms(text[:MAX_TEXT]))
    for term in _terms(title):
        terms[term] += TITLE_WEIGHT
    return terms


def rank(query: Counter[str], known: Sequence[Known], limit: int) -> list[Match]:
    """The bugs that share most with the query, best first, but for those that share nothing."""
    spread = Counter(term for bug in known for term in bug.terms)
    rarity = {
        term: _weight(term) * math.log(1 + (len(known) - spread[term] + 0.5) / (spread[term] + 0.5))
        for term in query
    }
    usual = sum(bug.terms.total() for bug in known) / max(1, len(known)) or 1.0
    most = sum(_gains(query, query, rarity, usual).values()) or 1.0
    matches = []
    for bug in known:
        if gains := _gains(query, bug.terms, rarity, usual):
            best = sorted(gains, key=lambda term: (-gains[term], term))
            score = min(1.0, sum(gains.values()) / most)
            matches.append(Match(bug.id, round(score, 3), list(_readable(best))))
    return sorted(matches, key=lambda match: -match.score)[:limit]


def _gains(
    query: Mapping[str, int], terms: Counter[str], rarity: Mapping[str, float], usual: float
) -> dict[str, float]:
    """What each shared term adds to the score."""
    held = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * terms.total() / usual)
    return {
        term: rarity[term] * terms[term] * (SATURATION + 1) / (terms[term] + held)
        for term in query
        if term in terms
    }


def _weight(term: str) -> float:
    return _WEIGHTS.get(term[0], 1.0)


def _readable(terms: Iterable[str]) -> Iterator[str]:
    """Terms as a person reads them, each once."""
    yield from dict.fromkeys(term.lstrip(IDENTIFIER + CONCEPT) for term in terms)


def _terms(text: str) -> Iterator[str]:
    text = unicodedata.normalize("NFKC", text)
    for found in _IDENTIFIER.findall(text):
        yield IDENTIFIER + found.strip("/.").casefold()
        for part in _PART.findall(found):
            yield from _of_word(part)
    for number in _NUMBER.findall(text):
        yield IDENTIFIER + number
    for word in _WORD.findall(_IDENTIFIER.sub(" ", text)):
        yield from _of_word(word)
    for run in _RUN.findall(text):
        yield from (run[place : place + 2] for place in range(len(run) - 1))
    meanings = concepts_of_phrases()
    for phrase in phrases().findall(text):
        yield from (CONCEPT + name for name in meanings[phrase])


def _of_word(word: str) -> Iterator[str]:
    lower = word[:MAX_WORD].lower()
    if len(lower) < 2 or lower in _STOP:
        return
    root = stem(lower)
    yield root
    yield from (CONCEPT + name for name in concepts_of_stems().get(root, ()))
