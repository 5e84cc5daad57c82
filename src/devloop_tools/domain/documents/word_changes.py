"""What changed inside a text, in words; Chinese, Japanese and Korean by character.

Changes with no more than a character or a blank between them are one change, so that a reader sees
phrases and not scattered letters.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from devloop_tools.domain.documents.alignment import aligned
from devloop_tools.domain.documents.html_blocks import TAG, plain

_CJK = "\u2e80-\u2fdf\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK += "\U00020000-\U0003ffff"


@cache
def _word() -> re.Pattern[str]:
    """Made when it is first used: it takes as long as loading this module."""
    return re.compile(
        f"{TAG.pattern}|[{_CJK}]|[0-9]+(?:[.,:/-][0-9]+)*|[^\\W{_CJK}]+|[ \t\n\r\f]+|[^\\w]"
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that is the same on both sides, or that was `old` and is `new`."""

    old: str
    new: str

    @property
    def same(self) -> bool:
        return self.old == self.new


def words_of(content: str) -> list[str]:
    """Words, characters, blanks, marks and inline tags; joined they are `content`."""
    return _word().findall(content)


@dataclass(frozen=True, slots=True)
class Bag:
    """The words of a text with their numbers; blanks and tags count for nothing."""

    words: Counter[str]
    total: int


def bag_of(content: str) -> Bag:
    """The words of `content` without their order."""
    words = Counter(word for word in words_of(content) if word[0] != "\x02" and not word.isspace())
    return Bag(words, words.total())


def likeness(left: Bag, right: Bag) -> float:
    """From 0, nothing in common, to 1, the same words."""
    if not left.total and not right.total:
        return 1.0
    small, large = sorted((left.words, right.words), key=len)
    common = sum(min(number, large.get(word, 0)) for word, number in small.items())
    return 2 * common / (left.total + right.total)


def pieces(before: str, after: str) -> list[Piece]:
    """Both texts as runs in their order, inline tags left out."""
    old, new = words_of(before), words_of(after)
    runs: list[tuple[list[str], list[str], bool]] = []
    here = there = 0
    for left, right in [*aligned(old, new), (len(old), len(new))]:
        if left > here or right > there:
            runs.append((old[here:left], new[there:right], False))
        if left < len(old):
            if runs and runs[-1][2]:
                runs[-1][0].append(old[left])
            else:
                runs.append(([old[left]], [], True))
        here, there = left + 1, right + 1
    return _joined([(same, _plain(was), _plain(was if same else now)) for was, now, same in runs])


def _plain(words: list[str]) -> str:
    return plain("".join(words))


def _joined(runs: list[tuple[bool, str, str]]) -> list[Piece]:
    """Runs without empty ones, and with those joined that next to nothing divides."""
    joined: list[Piece] = []
    waiting = ""
    for same, old, new in runs:
        if same or old == new:
            waiting += old
            continue
        if waiting and joined and not joined[-1].same and _is_thin(waiting):
            last = joined.pop()
            joined.append(Piece(last.old + waiting + old, last.new + waiting + new))
        else:
            if waiting:
                joined.append(Piece(waiting, waiting))
            joined.append(Piece(old, new))
        waiting = ""
    if waiting:
        joined.append(Piece(waiting, waiting))
    return joined


def _is_thin(text: str) -> bool:
    return text.isspace() or (len(text) == 1 and text.isalnum())
