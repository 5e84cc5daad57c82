"""English stems after Porter's algorithm, by rules that the page's script applies too.

The rules are data (`RULES`), written into the index, so that both sides read the same ones.
"""

import re
from functools import lru_cache

Rule = tuple[str, str, int]


def _step_rules(least: int, rules: str) -> tuple[Rule, ...]:
    pairs = (rule.split(">") for rule in rules.split())
    return tuple((suffix, replacement, least) for suffix, replacement in pairs)


RULES: tuple[tuple[Rule, ...], ...] = (
    _step_rules(
        0,
        """ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent
        eli>e ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful
        ousness>ous aliti>al iviti>ive biliti>ble""",
    ),
    _step_rules(
        0,
        """icate>ic ative> alize>al iciti>ic ical>ic ful> ness>""",
    ),
    _step_rules(
        1,
        """ement> ance> ence> able> ible> ment> sion>s tion>t ant> ent> ism> ate> iti> ous>
        ive> ize> al> er> ic> ou>""",
    ),
)
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


def _step(word: str, step: tuple[Rule, ...]) -> str:
    fitting = [rule for rule in step if word.endswith(rule[0])]
    if not fitting:
        return word
    suffix, replacement, least = max(fitting, key=lambda rule: len(rule[0]))
    left = word[: -len(suffix)]
    return left + replacement if len(_PAIRS.findall(left)) > least else word
