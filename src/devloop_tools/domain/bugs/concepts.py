"""Words of two languages that mean the same in bug reports, from `concepts.txt`."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from devloop_tools.domain.documents.search_terms import CJK
from devloop_tools.domain.documents.stems import stem

_CHINESE = re.compile(f"[{CJK}]")


@cache
def concepts_of_stems() -> Mapping[str, tuple[str, ...]]:
    """The concepts that an English stem stands for; a concept is named by its first word."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _lines():
        for word in words:
            if not _CHINESE.search(word):
                key = stem(word)
                found[key] = tuple(dict.fromkeys((*found.get(key, ()), name)))
    return found


@cache
def concepts_of_phrases() -> Mapping[str, tuple[str, ...]]:
    """The concepts that a Chinese word stands for."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _lines():
        for word in words:
            if _CHINESE.search(word):
                found[word] = (*found.get(word, ()), name)
    return found


@cache
def phrases() -> re.Pattern[str]:
    """Finds the Chinese words, a longer one before a shorter one."""
    words = sorted(concepts_of_phrases(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))


@cache
def _lines() -> tuple[tuple[str, tuple[str, ...]], ...]:
    text = (files(__package__) / "concepts.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((words[0], tuple(words)) for words in lines)
