"""The words of a command after quotes, variables, substitutions and braces."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from devloop_tools.guard.scope import Frame, Word
from devloop_tools.guard.syntax import Tree
from devloop_tools.guard.values import (
    HOLE,
    SEAM,
    Alternatives,
    brace_expanded,
    double_quoted,
    either,
    escaped,
    joined,
    replaced,
    split,
    unquoted,
)

WORDS = frozenset(
    {
        "word", "number", "raw_string", "ansi_c_string", "string", "translated_string",
        "concatenation", "brace_expression", "simple_expansion", "expansion", "array",
        "command_substitution", "process_substitution", "arithmetic_expansion", "regex",
        "extglob_pattern", "command_name", "test_operator",
    }
)  # fmt: skip
"""The kinds of nodes that are words, or parts of one."""

_UNKNOWN: Alternatives = (HOLE,)
_PARAMETER = re.compile(
    r"([#!]?)(\w+|[@*#?$!-])(?:\[([^\]]*)\])?(:?[-=+?]|[:/#%^,@]|)(.*)", re.DOTALL
)
_SLICE = re.compile(r"\s*(-?\d{1,9})\s*(?::\s*(-?\d{1,9}))?\s*")
_KEY = re.compile(r"^\[[^\]]*\]=")


class Substitutions(Protocol):
    """What runs the commands inside a word."""

    def substituted(self, node: Tree, frame: Frame) -> str:
        """What `$(...)` prints."""
        ...

    def connected(self, node: Tree, frame: Frame) -> str:
        """The name of the file that `<(...)` or `>(...)` stands for."""
        ...

    def inside(self, node: Tree, frame: Frame) -> str:
        """Walk the commands in something that has no text of its own."""
        ...


class Expansion:
    """Expands words in a frame, with what runs their substitutions."""

    def __init__(self, shell: Substitutions) -> None:
        self._shell = shell

    def commands(self, nodes: Iterable[Tree], frame: Frame) -> list[list[Word]]:
        """The words that the nodes become; several lists where variables have several values."""
        groups = [
            (joined(self.texts(node, frame) for node in group), start, end)
            for group, start, end in _adjacent(nodes, frame)
        ]
        frame.scope.meter.carry(text for texts, _, _ in groups for text in texts)
        first = [texts[0] for texts, _, _ in groups]
        variants = [first]
        for number, (texts, _, _) in enumerate(groups):
            variants += [[*first[:number], text, *first[number + 1 :]] for text in texts[1:]]
        braced = [brace_expanded(text) for text in first]
        if any(len(words) > 1 for words in braced):
            variants.append([SEAM.join(words) for words in braced])
        places = [(start, end) for _, start, end in groups]
        return [list(_pieces(texts, places, given=frame.source.given)) for texts in variants]

    def text(self, node: Tree, frame: Frame) -> Alternatives:
        """The texts of a word where nothing is split: after `=`, `<` or `<<<`."""
        if node.type == "array":
            return self.texts(node, frame)
        texts = self.texts(node, frame)
        return tuple(text.replace(SEAM, " ") for text in texts)

    def texts(self, node: Tree, frame: Frame, *, quoted: bool = False) -> Alternatives:
        """The texts of a part of a word, with its marks and seams."""
        frame.scope.meter.step(frame.depth)
        frame = frame.deeper()
        match node.type:
            case "raw_string":
                return (frame.source.text(node).strip()[1:-1],)
            case "ansi_c_string":
                return (escaped(frame.source.text(node).strip()[2:-1]),)
            case "string" | "translated_string":
                return self.between_quotes(node, frame)
            case "simple_expansion" | "expansion":
                found = self._parameter(node, frame, quoted=quoted)
                return found if quoted else split(found)
            case "command_substitution":
                printed = (self._shell.substituted(node, frame).rstrip("\n"),)
                return printed if quoted else split(printed)
            case "process_substitution":
                return (self._shell.connected(node, frame),)
            case "arithmetic_expansion":
                self._shell.inside(node, frame)
                return _UNKNOWN
            case "array":
                items = self.commands(node.named_children, frame)[0]
                return (SEAM.join(_KEY.sub("", item.text) for item in items),)
            case _:
                return self._parts(node, frame)

    def between_quotes(self, node: Tree, frame: Frame) -> Alternatives:
        """What stands between double quotes, or in a heredoc."""
        parts: list[Alternatives] = []
        heredoc = node.type == "heredoc_body"
        position = node.start_byte
        for child in node.children:
            parts.append((double_quoted(frame.source.between(position, child.start_byte)),))
            position = child.end_byte
            text = frame.source.text(child)
            if child.type in ("string_content", "heredoc_content", "$"):
                parts.append((double_quoted(text),))
            elif child.is_named:
                parts.append((text[: len(text) - len(text.lstrip())],))
                parts.append(self.texts(child, frame, quoted=True))
            elif heredoc or text.strip() != '"':
                parts.append((text,))
        parts.append((double_quoted(frame.source.between(position, node.end_byte)),))
        return joined(parts)

    def _parts(self, node: Tree, frame: Frame) -> Alternatives:
        """A word that is made of others, or of plain text."""
        if not any(child.type in WORDS for child in node.named_children):
            return (unquoted(frame.source.text(node).strip()),)
        parts: list[Alternatives] = []
        position = node.start_byte
        for child in node.children:
            parts.append((unquoted(frame.source.between(position, child.start_byte)),))
            position = child.end_byte
            if child.is_named:
                parts.append(self.texts(child, frame))
            else:
                parts.append((unquoted(frame.source.text(child)),))
        return joined(parts)

    def _parameter(self, node: Tree, frame: Frame, *, quoted: bool) -> Alternatives:
        """The value of `$x` or of `${x...}`."""
        text = frame.source.text(node).strip()
        found = _PARAMETER.fullmatch(text[2:-1] if text.startswith("${") else text[1:])
        if found is None:
            self._shell.inside(node, frame)
            return _UNKNOWN
        sign, name, index, operator, rest = found.groups()
        if index is not None:
            self._shell.inside(node, frame)
        value = frame.scope.value(name)
        if sign == "!" and value is not None:
            value = frame.scope.value(value[0])
        elif sign == "#" and name:
            return _UNKNOWN
        if value is not None:
            value = _indexed(value, name, index, quoted=quoted)
        if operator.lstrip(":") in ("-", "=", "+", "?") and operator:
            return self._default(node, frame, value, operator)
        if (operator == "/" and "$" in rest) or operator in ("#", "%"):
            self._shell.inside(node, frame)
        return _UNKNOWN if value is None else _changed(value, operator, rest)

    def _default(
        self, node: Tree, frame: Frame, value: Alternatives | None, operator: str
    ) -> Alternatives:
        operands = [child for child in node.named_children if child.type in WORDS]
        # The name itself may be a word where it is a number or a sign.
        behind = [child for child in operands if child.start_byte > node.start_byte + 2]
        default = joined(self.texts(child, frame) for child in behind)
        if operator.endswith("+"):
            return default
        if operator.endswith("?"):
            return _UNKNOWN if value is None else value
        if value is None:
            return either(default, _UNKNOWN)
        return value if any(value) else default


def _adjacent(nodes: Iterable[Tree], frame: Frame) -> Iterator[tuple[list[Tree], int, int]]:
    """Nodes with nothing between them are one word: `@` and `<(...)`, `$` and `"..."`."""
    group: list[Tree] = []
    first = last = -1
    for node in nodes:
        text = frame.source.text(node)
        start = node.start_byte + len(text.encode()) - len(text.lstrip().encode())
        if group and start == last:
            if group[-1].type == "$":
                group.pop()
            group.append(node)
        else:
            if group:
                yield group, first, last
            group, first = [node], start
        last = node.end_byte
    if group:
        yield group, first, last


def _pieces(
    texts: Sequence[str], places: Sequence[tuple[int, int]], *, given: bool
) -> Iterator[Word]:
    """The words in which the texts are split at their seams."""
    for text, (start, end) in zip(texts, places, strict=True):
        if SEAM in text:
            yield from (Word(piece) for piece in text.split(SEAM) if piece)
        elif given:
            yield Word(text, start, end)
        else:
            yield Word(text)


def _indexed(value: Alternatives, name: str, index: str | None, *, quoted: bool) -> Alternatives:
    """One element of an array, or all of them."""
    if index in ("@", "*") or name in ("@", "*"):
        if quoted and "*" in (index, name):
            return tuple(text.replace(SEAM, " ") for text in value)
        return value
    if index is not None and not index.isdecimal():
        return tuple(piece for text in value for piece in text.split(SEAM))[:8]
    number = int(index[:6]) if index else 0
    if number > min(text.count(SEAM) for text in value):
        return tuple(piece for text in value for piece in text.split(SEAM))[:8]
    return tuple(text.split(SEAM)[number] for text in value)


def _changed(value: Alternatives, operator: str, rest: str) -> Alternatives:
    """A value after `${x/a/b}`, `${x:1:2}` and the like; itself where that can't be told."""
    if operator == "/":
        everywhere = rest.startswith("/")
        old, _, new = rest.lstrip("/#%").partition("/")
        if old and "$" not in rest:
            count = -1 if everywhere else 1
            return tuple(replaced(text, unquoted(old), unquoted(new), count) for text in value)
    if operator in ("#", "%") and "$" not in rest:
        affix = unquoted(rest.lstrip("#%"))
        cut = str.removeprefix if operator == "#" else str.removesuffix
        return tuple(cut(text, affix) for text in value)
    if operator == ":" and (found := _SLICE.fullmatch(rest)):
        start, length = int(found[1]), found[2]
        end = None if length is None else int(length) if int(length) < 0 else start + int(length)
        return tuple(text[start:end] for text in value)
    return value
