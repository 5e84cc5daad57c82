"""Bash source as a syntax tree, parsed by tree-sitter.

The grammar's recovery from errors takes time and memory that grow with the square of the input,
up to the end of the process. So what it is given is bounded in punctuation, and where quoted text
would go beyond that bound it is blanked first: the tree's places stay true, its texts are read
from the source itself.
"""

import re
import time
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node, Parser

from devloop_tools.guard.grammar import bash
from devloop_tools.guard.values import Unreadable, has_private

MAX_BYTES = 256_000
MAX_PUNCTUATION = 1_500
MAX_SECONDS = 0.25
MAX_REPAIRS = 5

_LANGUAGE = bash()
_PUNCTUATION = re.compile(rb"[|&;()<>{}\[\]$`!=?*#~^\"'@\n]")
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_ASCII = bytes(range(128)) + bytes(_CAPITALS[byte % 27] for byte in range(128, 256))
_ESCAPED_START = re.compile(rb"(\n[ \t]*)\\(?=[\w./])")
_QUOTED = re.compile(
    rb"\\.|'([^']*)'|\"(?:\\.|[^\"\\])*\"|(?<![^\s;&|(])#[^\n]*|\(\(|\$\{"
    rb"|<<-?[ \t]*(?:'([\w.-]+)'|\"([\w.-]+)\"|\\?([\w.-]+))",
    re.DOTALL,
)

Tree = Node
"""A node of the tree; its places are offsets in the bytes of the source."""


class Source:
    """A piece of Bash and its tree."""

    def __init__(self, text: str, *, given: bool) -> None:
        """Parse `text`; `given` when it is the command itself, and not one found inside it.

        Raises:
            Unreadable: It is too long, no Bash, or takes too long to parse.
        """
        if has_private(text):
            raise Unreadable("it holds a NUL or a private character")
        self.code = text.encode("utf-8", "replace")
        self.given = given
        self.root = _parsed(self.code)

    def text(self, node: Tree) -> str:
        """What stands at `node`."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """What stands between two places."""
        return self.code[start:end].decode("utf-8", "replace")


def _parsed(code: bytes) -> Tree:
    # The grammar's scanner looks letters up in a table made for one byte each, and the process may
    # end where another is looked up: it is given capitals instead, which are no
    # keywords. Places stay as they are.
    code = code.translate(_ASCII)
    # The grammar takes a backslash at the start of a line for the end of the line before.
    code = _ESCAPED_START.sub(rb"\1 ", code)
    if len(code) > MAX_BYTES:
        raise Unreadable(f"it is longer than {MAX_BYTES:,} bytes")
    if len(_PUNCTUATION.findall(code)) > MAX_PUNCTUATION:
        code = _blanked(code)
        if len(_PUNCTUATION.findall(code)) > MAX_PUNCTUATION:
            raise Unreadable(f"it has more than {MAX_PUNCTUATION:,} signs of punctuation")
    for _ in range(MAX_REPAIRS):
        root = _tree(code)
        joined = list(_joined_lines(root, code))
        if not joined:
            return root
        repaired = bytearray(code)
        for start, end in joined:
            repaired[start:end] = b" " * (end - start - 1) + b";"
        code = bytes(repaired)
    raise Unreadable("its lines can't be told apart")


def _tree(code: bytes) -> Tree:
    end = time.process_time() + MAX_SECONDS
    try:
        tree = Parser(_LANGUAGE).parse(
            lambda offset, _: code[offset : offset + 65_536],
            progress_callback=lambda _, __: time.process_time() > end,
        )
    except ValueError as exc:
        raise Unreadable("it takes too long to parse") from exc
    if tree.root_node.has_error:
        raise Unreadable("it is no complete Bash, or Bash that can't be parsed here")
    return tree.root_node


def _joined_lines(root: Tree, code: bytes) -> Iterator[tuple[int, int]]:
    """Ends of lines, with a comment before them, that the grammar reads over.

    It takes the line behind a pipeline of three for arguments of the last command, when a
    redirection follows.
    """
    pending = [root] if b"\n" in code else []
    while pending:
        node = pending.pop()
        children = node.children
        pending += children
        if node.type not in ("command", "file_redirect", "redirected_statement"):
            continue
        for before, behind in pairwise(children):
            gap = code[before.end_byte : behind.start_byte].replace(b"\\\n", b"  ")
            if (line_end := gap.find(b"\n")) >= 0:
                end = before.end_byte + line_end
                yield before.start_byte if before.type == "comment" else end, end + 1


def _blanked(code: bytes) -> bytes:
    """`code` with the insides of single quotes and the lines of heredocs made blank."""
    blank, position, names = bytearray(code), 0, list[tuple[bytes, bool]]()
    while found := _QUOTED.search(code, position):
        line_end = code.find(b"\n", position, found.start()) if names else -1
        if line_end >= 0:
            position, names = _blank_bodies(code, blank, line_end + 1, names), []
            continue
        if found[0] in (b"((", b"${"):
            return bytes(blank)
        position = found.end()
        if found[1] is not None:
            _blank(blank, found.start(1), found.end(1))
        elif name := found[2] or found[3] or found[4]:
            names.append((name, found[4] is None))
    line_end = code.find(b"\n", position)
    if names and line_end >= 0:
        _blank_bodies(code, blank, line_end + 1, names)
    return bytes(blank)


def _blank_bodies(
    code: bytes, blank: bytearray, start: int, names: list[tuple[bytes, bool]]
) -> int:
    """Blank the lines of the heredocs that begin at `start`; the place where the last one ends.

    Where the name is not quoted, substitutions in the lines are commands too, and they stay.
    """
    for name, quoted in names:
        end = re.compile(rb"^\t*" + re.escape(name) + rb"$", re.MULTILINE).search(code, start)
        if end is None:
            return len(code)
        if quoted or not re.search(rb"\$\(|`", code[start : end.start()]):
            # The line break before the name stays: the name has to stand alone.
            _blank(blank, start, end.start() - 1)
        start = end.end()
    return start


def _blank(blank: bytearray, start: int, end: int) -> None:
    blank[start:end] = b"x" * max(0, end - start)
