"""Texts of shell words, as far as they are known without running anything.

A text is a plain string in which a few private characters stand for what the shell would do with
it: what only a run can tell, patterns and braces that no quote protects, and the seams at which
one expansion becomes several words.
"""

import re
from collections.abc import Iterable, Sequence

HOLE = "\U000f0000"
"""What only a run can tell: a variable from outside, the output of a program."""

SEAM = "\U000f0001"
"""Where one expansion is split into several words."""

_STAR, _ANY, _OPEN, _CLOSE, _LEFT, COMMA, _RIGHT = (chr(0xF0002 + number) for number in range(7))
_ACTIVE = dict(zip("*?[]{,}", (_STAR, _ANY, _OPEN, _CLOSE, _LEFT, COMMA, _RIGHT), strict=True))
_PASSIVE = str.maketrans({mark: char for char, mark in _ACTIVE.items()})
_QUOTED_GLOB = str.maketrans({"*": "[*]", "?": "[?]", "[": "[[]"})

_PRIVATE = re.compile("[\0\U000f0000-\U000f0008]")
_UNQUOTED = re.compile(r"\\(?:\n|(.))|([*?\[\]{},])", re.DOTALL)
_IN_DOUBLE_QUOTES = re.compile(r"\\([$`\"\\\n])")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))",
    re.DOTALL,
)
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}

MAX_ALTERNATIVES = 8
MAX_BRACES = 64
MAX_TEXT = 400_000

Alternatives = tuple[str, ...]
"""The texts that a word may have: several after a loop or a branch, at most MAX_ALTERNATIVES."""


class Unreadable(Exception):
    """The command can't be read to its end; the message says why, as the end of a sentence."""


def has_private(text: str) -> bool:
    """Whether `text` holds a NUL, which no shell takes, or a character that is a mark here."""
    return _PRIVATE.search(text) is not None


def unquoted(source: str) -> str:
    """What stands outside quotes: backslashes taken away, patterns and braces marked."""

    def one(found: re.Match[str]) -> str:
        return _ACTIVE[found[2]] if found[2] else found[1] or ""

    return _UNQUOTED.sub(one, source)


def double_quoted(source: str) -> str:
    """What stands between double quotes, between its expansions."""
    return _IN_DOUBLE_QUOTES.sub(lambda found: "" if found[1] == "\n" else found[1], source)


def escaped(source: str) -> str:
    r"""What `$'...'`, `echo -e` and the format of `printf` make of `\n`, `\x7b` and the like."""

    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            number = int(code, 16)
        elif found[4]:
            number = int(found[4], 8)
        else:
            return _LETTERS.get(found[5], found[5] if found[5] in "\\'\"?" else found[0])
        return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0xF0000 else ""

    return _ESCAPE.sub(one, source)


def plain(text: str) -> str:
    """`text` with its marks written as the characters they were; holes stay."""
    return text.translate(_PASSIVE).replace(SEAM, " ")


def bare(text: str) -> str:
    """`text` as if all that is unknown were empty."""
    return plain(text).replace(HOLE, "")


def glob_of(text: str) -> str | None:
    """`text` as a pattern of fnmatch, when an unquoted `*`, `?` or `[` makes it one."""
    if not any(mark in text for mark in (_STAR, _ANY, _OPEN)):
        return None
    return plain(text.translate(_QUOTED_GLOB)).replace(HOLE, "*")


def joined(parts: Iterable[Alternatives]) -> Alternatives:
    """Each way to put the parts one after another, up to MAX_ALTERNATIVES of them.

    Raises:
        Unreadable: The text grows beyond MAX_TEXT.
    """
    texts: list[list[str]] = [[]]
    for part in parts:
        if len(part) == 1:
            for text in texts:
                text.append(part[0])
        else:
            texts = [[*text, one] for one in part for text in texts][:MAX_ALTERNATIVES]
    made = tuple("".join(text) for text in texts)
    if any(len(text) > MAX_TEXT for text in made):
        raise Unreadable("its variables grow too large")
    return made


def either(*several: Alternatives) -> Alternatives:
    """All of the alternatives, each once, up to MAX_ALTERNATIVES."""
    return tuple(dict.fromkeys(text for texts in several for text in texts))[:MAX_ALTERNATIVES]


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """`text` with `old` replaced by `new`, `count` times or everywhere.

    Raises:
        Unreadable: It would grow beyond MAX_TEXT.
    """
    times = text.count(old) if count < 0 else count
    if len(text) + times * len(new) > MAX_TEXT:
        raise Unreadable("its variables grow too large")
    return text.replace(old, new, count)


def split(texts: Alternatives) -> Alternatives:
    """The texts as an expansion outside quotes gives them: a seam wherever there is white space."""
    return tuple(SEAM.join(text.split()) if " " in text.strip() else text for text in texts)


def brace_expanded(text: str) -> Sequence[str]:
    """The words that `a{b,c}` stands for; the text alone where there is nothing to expand."""
    pending, done = [text], list[str]()
    while pending:
        if len(pending) + len(done) > MAX_BRACES:
            return [text]
        word = pending.pop(0)
        close = word.find(_RIGHT)
        left = word.rfind(_LEFT, 0, close) if close >= 0 else -1
        if left < 0:
            done.append(word)
            continue
        before, inner, after = word[:left], word[left + 1 : close], word[close + 1 :]
        items = inner.split(COMMA)
        if len(items) == 1:
            # One item is no list: these braces stay as they are written.
            pending.insert(0, f"{before}{{{inner}}}{after}")
        else:
            pending[:0] = [before + item + after for item in items]
    return done
