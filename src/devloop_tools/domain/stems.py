"""English stems after Porter's algorithm, by rules that the page's script applies too.

The rules are data (`RULES`), written into the index, so that both sides read the same ones.
"""

import re
from functools import lru_cache

RULES: list[list[list[str | int]]] = [
    [["ational", "ate", 0], ["tional", "tion", 0], ["enci", "ence", 0], ["anci", "ance", 0],
     ["izer", "ize", 0], ["abli", "able", 0], ["alli", "al", 0], ["entli", "ent", 0],
     ["eli", "e", 0], ["ousli", "ous", 0], ["ization", "ize", 0], ["ation", "ate", 0],
     ["ator", "ate", 0], ["alism", "al", 0], ["iveness", "ive", 0], ["fulness", "ful", 0],
     ["ousness", "ous", 0], ["aliti", "al", 0], ["iviti", "ive", 0], ["biliti", "ble", 0]],
    [["icate", "ic", 0], ["ative", "", 0], ["alize", "al", 0], ["iciti", "ic", 0],
     ["ical", "ic", 0], ["ful", "", 0], ["ness", "", 0]],
    [["ement", "", 1], ["ance", "", 1], ["ence", "", 1], ["able", "", 1], ["ible", "", 1],
     ["ment", "", 1], ["sion", "s", 1], ["tion", "t", 1], ["ant", "", 1], ["ent", "", 1],
     ["ism", "", 1], ["ate", "", 1], ["iti", "", 1], ["ous", "", 1], ["ive", "", 1],
     ["ize", "", 1], ["al", "", 1], ["er", "", 1], ["ic", "", 1], ["ou", "", 1]],
]  # fmt: skip
"""In each step the longest fitting suffix is replaced if what is left has more than that many
vowel-consonant pairs."""

_WORD = re.compile("[a-z]{3,40}")
_VOWEL = re.compile("[aeiou]|(?<=[^aeiou])y")
_PAIRS = re.compile("(?:[aeiou]|(?<=[^aeiou])y)+(?:[^aeiouy]|(?<![^aeiou])y)+")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_SHORT = re.compile("^[^aeiou]*[aeiouy][^aeiouwxy]$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in lower case; what is no English word is its own stem."""
    if not _WORD.fullmatch(word):
        return word
    word = _past(_plural(word))
    if word.endswith("y") and _VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    for step in RULES:
        word = _step(word, step)
    if word.endswith("e"):
        pairs = len(_PAIRS.findall(word[:-1]))
        if pairs > 1 or (pairs == 1 and not _SHORT.search(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and len(_PAIRS.findall(word)) > 1:
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _PAIRS.search(word[:-3]) else word
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not cut or not _VOWEL.search(word[:-cut]):
        return word
    word = word[:-cut]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _SHORT.search(word) else word


def _step(word: str, step: list[list[str | int]]) -> str:
    fitting = [rule for rule in step if word.endswith(str(rule[0]))]
    if not fitting:
        return word
    suffix, replacement, least = max(fitting, key=lambda rule: len(str(rule[0])))
    left = word[: -len(str(suffix))]
    return left + str(replacement) if len(_PAIRS.findall(left)) > int(least) else word
