"""Which words of a command name files, and which are text, patterns or program code."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from devloop_tools.guard.scope import Word
from devloop_tools.guard.values import glob_of, plain

_READERS = frozenset(
    {
        "cat", "head", "tail", "less", "more", "jq", "grep", "egrep", "fgrep", "rg", "wc", "nl",
        "cut", "sort", "uniq", "diff", "ls", "stat", "file", "od", "xxd", "md5sum", "sha256sum",
        "column", "tac", "bat", "du", "test", "[", "zcat", "strings", "cmp", "comm", "tree",
        "awk", "gawk", "mawk",
    }
)  # fmt: skip

_CODE = {
    "python": "c", "node": "ep", "perl": "eE", "ruby": "e", "php": "r", "bun": "e", "deno": "",
    "lua": "e", "osascript": "e", "tclsh": "", "pwsh": "",
}  # fmt: skip
"""Interpreters, each with the short options whose value is code."""

_CODE_FIRST = frozenset({"awk", "gawk", "mawk", "nawk", "sqlite3"})
_PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "gsed"})
_TEXT_ONLY = frozenset({"echo", "printf"})
_MESSAGES = frozenset({"git", "gh", "glab", "hub"})
_MESSAGE = re.compile(r"-[a-z]*m|-[SGtb]|--(?:message|grep|title|body|notes|subject|description)")
_LEFT_OUT = re.compile(r"--?(?:exclude|ignore|skip|prune|omit|not)[\w-]*")
_LEFT_OUT_SHORT = {
    "tree": "-I", "diff": "-x", "zip": "-x", "rg": "-g", "fd": "-E", "fdfind": "-E",
    "lftp": "-X", "ag": "--ignore", "ncdu": "--exclude", "cloc": "--exclude-dir",
}  # fmt: skip
_PATH = re.compile(r"[\w./*-]*")
_SUBSTITUTES = re.compile(r"[\d,$]*[sy/]")
_SED_FILES = re.compile(r"(?:^|[\s;/{}\d$])[rRwW]\s+([^\n;}]+)")
_FIND_NAMES = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"}
)


def only_reads(name: str, words: Sequence[Word]) -> bool:
    """Whether a command is known to do no more than read what it names."""
    texts = [plain(word.text) for word in words]
    if name in ("sed", "gsed"):
        return not any(re.match(r"-[a-zA-Z]*i|--in-place", text) for text in texts)
    if name.startswith("python"):
        return texts[1:3] == ["-m", "json.tool"] and len(texts) == 4
    return name in _READERS


def code_in(name: str, words: Sequence[Word], stdin: str) -> Iterator[str]:
    """The texts that an interpreter would run."""
    texts = [plain(word.text) for word in words]
    if name in _CODE_FIRST:
        yield from (text for text in texts[1:] if not _PATH.fullmatch(text))
    if name in ("sed", "gsed"):
        yield from (found[1] for text in texts[1:] for found in _SED_FILES.finditer(text))
    kind = re.sub(r"[\d.]+$", "", name)
    if kind not in _CODE:
        return
    for before, text in pairwise(texts):
        letters = _CODE[kind]
        if before.startswith("--eval") or (letters and re.fullmatch(rf"-\w*[{letters}]", before)):
            yield text
        elif letters and (joined := re.match(rf"-[{letters}](.+)", text, re.DOTALL)):
            yield joined[1]
    yield stdin


def paths_in(name: str, words: Sequence[Word]) -> Iterator[str]:
    """The words that may name files, options with their values among them."""
    if name in _TEXT_ONLY:
        yield from (word.text for word in words[1:] if glob_of(word.text) is not None)
        return
    if name in ("find", "gfind"):
        yield from _found(words)
        return
    first = name in _PATTERN_FIRST
    texts = [plain(word.text) for word in words]
    for position, word in enumerate(words):
        text, before = texts[position], texts[position - 1] if position else ""
        if position and _is_text(name, before, text):
            first = first and not before.startswith("-e")
        elif position and first and not text.startswith("-"):
            first = False
            if name in ("sed", "gsed") and not _SUBSTITUTES.match(text):
                yield word.text
        else:
            yield word.text


def _is_text(name: str, before: str, text: str) -> bool:
    """Whether a word is a message, or says what to leave out."""
    if text.startswith((":!", ":^", ":(exclude", "!")) or _LEFT_OUT.match(text):
        return True
    if _LEFT_OUT.fullmatch(before):
        return True
    if name in _LEFT_OUT_SHORT and before == _LEFT_OUT_SHORT[name]:
        return name != "rg" or text.startswith("!")
    if name in _MESSAGES:
        return bool(_MESSAGE.fullmatch(before) or re.match(r"--(?:message|grep|title|body)=", text))
    return name in _PATTERN_FIRST and before in ("-e", "--regexp")


def _found(words: Sequence[Word]) -> Iterator[str]:
    """Where `find` looks; its tests are patterns (`patterns_in`)."""
    position = 1
    while position < len(words):
        if plain(words[position].text) in _FIND_NAMES:
            position += 1
        else:
            yield words[position].text
        position += 1


def patterns_in(name: str, words: Sequence[Word]) -> Iterator[str]:
    """The patterns after which `find` looks, but those that it leaves out."""
    if name not in ("find", "gfind"):
        return
    texts = [plain(word.text) for word in words]
    for position, text in enumerate(texts[:-1]):
        left_out = texts[position - 1] in ("!", "-not") or "-prune" in texts[position + 2 :][:2]
        if text in _FIND_NAMES and not left_out:
            yield texts[position + 1]
