"""The general ways in which software fails, told by cause and by symptom, from `failure_modes.txt`.

A report that tells the cause ("no lock") and one that tells the symptom ("charged twice") have no
word in common. They touch the same mode.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from devloop_tools.domain.documents.search_terms import CJK, MAX_WORD
from devloop_tools.domain.documents.stems import stem

REACH = 7
"""How many tokens may lie between two words of a phrase."""

DENIAL = "not"
"""The token that every word of denial becomes."""

DENIAL_REACH = 3
"""The same for a denial, which belongs to the words beside it."""

_DENIALS = re.compile(
    r"\b[a-z]+n['’]t\b|\bfails? to\b|\bfailed to\b"
    r"|\b(?:not|no|never|without|cannot|cant|forg[eo]ts?|forgotten|forgetting|lacks?|lacking|missing"
    r"|misses|omits?|omitted|skips?|skipped|nobody|nowhere|neither|nor)\b"
    r"|没有|没能|无法|不能|不会|忘记|忘了|漏掉|漏了|缺少|缺失|从未|从不|[没未不无忘漏缺]",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    f"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+(?:[.][0-9]+)?|[{CJK}]"
    r"|(?P<end>[!?;\n。；！？]|[.:](?=\s|$))"
)
_FILLING = frozenset(
    """a an the is are was were be been being of to it its this that these those and i
    的 了 着 吗 呢 吧 啊""".split()
)

Token = str
Word = tuple[Token, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """Parts that stand near each other, each any of some words; the anchor is looked for first."""

    mode: str
    anchor: frozenset[Word]
    others: tuple[frozenset[Word], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words by their first two tokens, and the phrases by the words of their anchors."""

    words: Mapping[Word, Sequence[Word]]
    phrases: Mapping[Word, Sequence[Phrase]]


@lru_cache(maxsize=2_000)
def phrases_in(text: str) -> frozenset[Phrase]:
    """The phrases of the text that tell a failure mode."""
    lexicon = known_modes()
    return frozenset(phrase for clause in clauses(text) for phrase in _told_in(clause, lexicon))


def clauses(text: str) -> list[list[Token]]:
    """The stems and the Chinese characters of each sentence, without filling words."""
    text = unicodedata.normalize("NFKC", text)
    found: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(_DENIALS.sub(f" {DENIAL} ", text)):
        if match["end"]:
            found.append([])
            continue
        token = match[0][:MAX_WORD].lower()
        if token not in _FILLING:
            found[-1].append(stem(token))
    return [clause for clause in found if clause]


@cache
def known_modes() -> Lexicon:
    """What `failure_modes.txt` holds, read once."""
    text = (files(__package__) / "failure_modes.txt").read_text(encoding="utf-8")
    words: dict[Word, set[Word]] = defaultdict(set)
    anchored: dict[Word, list[Phrase]] = defaultdict(list)
    for phrase in _all_phrases(text):
        for word in phrase.anchor:
            anchored[word].append(phrase)
        for part in (phrase.anchor, *phrase.others):
            for word in part:
                words[word[:2]].add(word)
    return Lexicon({start: tuple(found) for start, found in words.items()}, dict(anchored))


def _all_phrases(text: str) -> Iterator[Phrase]:
    lists: dict[str, str] = {}
    mode = ""
    blocks: dict[str, list[str]] = defaultdict(list)
    for line in text.splitlines():
        if line.startswith("@"):
            name, _, words = line.partition(" = ")
            lists[name] = words
        elif line.startswith(" "):
            blocks[mode].append(line)
        elif line and not line.startswith("#"):
            mode = line
    for name, lines in blocks.items():
        for phrase in " ".join(lines).split(","):
            parts = sorted((_part(part, lists) for part in phrase.split()), key=_commonness)
            yield Phrase(name, parts[0], tuple(parts[1:]))


def _part(text: str, lists: Mapping[str, str]) -> frozenset[Word]:
    words = (word for name in text.split("|") for word in lists.get(name, name).split("|"))
    found = (clauses(word.replace("_", " ")) for word in words)
    return frozenset(tuple(one[0]) for one in found if one)


def _commonness(part: frozenset[Word]) -> float:
    """Little for what seldom stands in a text, which is best looked for first."""
    if (DENIAL,) in part:
        return 1000
    return len(part) + 3 * sum(1 for word in part if len(word) == 1 and len(word[0]) < 2)


def _told_in(clause: list[Token], lexicon: Lexicon) -> Iterator[Phrase]:
    places = _places_of_words(clause, lexicon)
    present = places.keys()
    for word in places:
        for phrase in lexicon.phrases.get(word, ()):
            if any(part.isdisjoint(present) for part in phrase.others):
                continue
            if _near(word, phrase, places):
                yield phrase


def _places_of_words(clause: list[Token], lexicon: Lexicon) -> dict[Word, list[int]]:
    places: dict[Word, list[int]] = defaultdict(list)
    for place in range(len(clause)):
        for start in {tuple(clause[place : place + 1]), tuple(clause[place : place + 2])}:
            for word in lexicon.words.get(start, ()):
                if len(word) <= 2 or tuple(clause[place : place + len(word)]) == word:
                    places[word].append(place)
    return places


def _near(word: Word, phrase: Phrase, places: Mapping[Word, Sequence[int]]) -> bool:
    return any(
        all(
            any(
                _apart(at, word, other_at, other)
                for other in part & places.keys()
                for other_at in places[other]
            )
            for part in phrase.others
        )
        for at in places[word]
    )


def _apart(at: int, word: Word, other_at: int, other: Word) -> bool:
    """Whether two words stand near each other and don't overlap."""
    reach = DENIAL_REACH if other == (DENIAL,) else REACH
    if at <= other_at:
        return 0 <= other_at - at - len(word) <= reach
    return 0 <= at - other_at - len(other) <= reach
