"""Options of a command line, told apart from operands."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Option(NamedTuple):
    """An option with its value, or an operand, whose name is empty."""

    name: str
    value: str
    position: int
    """Which of the words holds the value."""
    offset: int
    """Where in that word it begins."""


class Grammar(NamedTuple):
    """Which options of a program take a value."""

    short: dict[str, str]
    """The letters that take one, each with the long name of the same option."""
    long: frozenset[str]
    """The long names, without dashes, that take one."""


def options_of(texts: Sequence[str], grammar: Grammar) -> Iterator[Option]:
    """Each option and operand of `texts`, whose first is the program."""
    position = 1
    while position < len(texts):
        text = texts[position]
        following = texts[position + 1] if position + 1 < len(texts) else ""
        taken = 1
        if text == "--":
            yield from (
                Option("", one, position + 1 + n, 0) for n, one in enumerate(texts[position + 1 :])
            )
            return
        if text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            if equals:
                yield Option(name, value, position, len(name) + 3)
            elif name in grammar.long:
                yield Option(name, following, position + 1, 0)
                taken = 2
            else:
                yield Option(name, "", position, len(text))
        elif text.startswith("-") and len(text) > 1:
            *flags, last = _letters(text, following, position, grammar)
            yield from flags
            yield last
            taken = last.position - position + 1
        else:
            yield Option("", text, position, 0)
        position += taken


def _letters(text: str, following: str, position: int, grammar: Grammar) -> Iterator[Option]:
    """The options of `-sXPOST`: letters up to the first that takes a value."""
    for place, letter in enumerate(text[1:], 1):
        if letter in grammar.short:
            name = grammar.short[letter]
            if rest := text[place + 1 :]:
                yield Option(name, rest, position, place + 1)
            else:
                yield Option(name, following, position + 1, 0)
            return
        yield Option(letter, "", position, len(text))
