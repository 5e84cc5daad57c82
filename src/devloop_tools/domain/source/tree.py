"""Source text as a syntax tree. The one module that knows tree-sitter and its grammars."""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import tree_sitter
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript

Node = tree_sitter.Node

MAX_DEPTH = 100
"""What is nested deeper is taken as unknown: no person writes that."""

_BASE_S, _BYTE_S = 0.05, 10e-6
"""How long a file may take to be parsed: a hundred times what written code takes.

What is no code at all may take the grammars hours, since they try to make sense of each byte.
"""

_GRAMMARS = {
    "javascript": tree_sitter_javascript.language,
    "typescript": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
    "python": tree_sitter_python.language,
}
_CHUNK = 512
"""Bytes that the parser is given at a time. The text of a node is read this way too: not many."""

_LANGUAGES = {
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".py": "python",
}  # fmt: skip

SUFFIXES = tuple(_LANGUAGES)
"""The endings of files that are read."""


@cache
def _language(name: str) -> tree_sitter.Language:
    return tree_sitter.Language(_GRAMMARS[name]())


def is_python(path: str) -> bool:
    return path.endswith(".py")


def parsed(content: bytes, path: str) -> Node | None:
    """The root of the tree of a file, whose ending is one of SUFFIXES; None if it takes too long.

    The limit is time of the processor in this thread, so that a busy machine changes nothing.
    """
    language = _language(_LANGUAGES[PurePosixPath(path).suffix])
    end = time.thread_time() + _BASE_S + _BYTE_S * len(content)
    try:
        tree = tree_sitter.Parser(language).parse(
            lambda offset, _: content[offset : offset + _CHUNK],
            progress_callback=lambda _, __: time.thread_time() > end,
        )
    except ValueError:
        return None
    return tree.root_node


def text_of(node: Node | None) -> str:
    """The source text of a node; empty where there is none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def line_of(node: Node) -> int:
    """The line that a node starts on, from 1."""
    return node.start_point.row + 1


def named(node: Node | None) -> list[Node]:
    """The named children of a node, without comments."""
    if node is None:
        return []
    return [child for child in node.named_children if child.type != "comment"]


def child(node: Node | None, *kinds: str) -> Node | None:
    """The first child of one of the kinds."""
    if node is None:
        return None
    return next((found for found in node.children if found.type in kinds), None)


def fault_in(root: Node | None) -> int | None:
    """The line of the first thing that could not be parsed, or None. Without a tree, the first."""
    if root is None:
        return 1
    if not root.has_error:
        return None
    node = root
    while True:
        if node.is_error or node.is_missing:
            return line_of(node)
        broken = next((inner for inner in node.children if _is_broken(inner)), None)
        if broken is None:
            return line_of(node)
        node = broken


def _is_broken(node: Node) -> bool:
    return node.has_error or node.is_missing


def fields(node: Node, name: str) -> Iterator[Node]:
    """The children in one field of a node."""
    yield from node.children_by_field_name(name)
