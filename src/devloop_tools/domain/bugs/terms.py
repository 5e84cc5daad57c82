"""Takes a bug report apart into what it is found by.

These are Chinese bigrams, English stems, identifiers (the same in every language) and what words
mean: concepts, by which an English report finds a Chinese one, and wider fields.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from devloop_tools.domain.bugs.concepts import CONCEPT, FIELD, meanings_in, meanings_of_stems
from devloop_tools.domain.documents.search_terms import CJK, MAX_WORD
from devloop_tools.domain.documents.stems import stem

TITLE_WEIGHT = 2
MAX_TEXT = 20_000

IDENTIFIER = "="
"""What terms of this kind start with; those of no kind are stems and bigrams."""

KINDS = (IDENTIFIER, CONCEPT, FIELD)

_EMPTY_ZH = (
    "的了是在和与就都也还把被会要能不没有这那个一些个去来到从对为以及而且但或又再时候上下里中后前"
)
"""Characters that stand in every text; no bigram goes over them."""

_RUN = re.compile(f"(?:(?![{_EMPTY_ZH}])[{CJK}])+")
_CHINESE = re.compile(f"[{CJK}]+")
_WORD = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(?<![\w/])("
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


def terms_of(title: str, text: str) -> Counter[str]:
    """The terms of a report; those of its title count twice."""
    terms = Counter(_terms(text[:MAX_TEXT]))
    for term in _terms(title):
        terms[term] += TITLE_WEIGHT
    return terms


def readable(terms: Iterable[str]) -> list[str]:
    """Terms as a person reads them, each once."""
    return list(dict.fromkeys(term.lstrip("".join(KINDS)) for term in terms))


def _terms(text: str) -> Iterator[str]:
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)
    words: list[str] = []
    for place, piece in enumerate(_IDENTIFIER.split(text)):
        if place % 2:
            yield IDENTIFIER + piece.strip("/.").casefold()
            words += _PART.findall(piece)
        else:
            words += _WORD.findall(piece)
    for word in words:
        yield from _of_word(word)
    for number in _NUMBER.findall(text):
        yield IDENTIFIER + number
    for run in _CHINESE.findall(text):
        yield from meanings_in(run)
        for full in _RUN.findall(run):
            yield from (full[place : place + 2] for place in range(len(full) - 1))


@lru_cache(maxsize=65536)
def _of_word(word: str) -> tuple[str, ...]:
    lower = word[:MAX_WORD].lower()
    if len(lower) < 2 or lower in _STOP:
        return ()
    root = stem(lower)
    return (root, *meanings_of_stems().get(root, ()))
