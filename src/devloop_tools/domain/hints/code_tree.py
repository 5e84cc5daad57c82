"""Source files as syntax trees, by tree-sitter and its grammars."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_LEVELS = 150
"""Code that is nested deeper is not looked at."""

_KINDS = {
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".py": "python",
}  # fmt: skip

SUFFIXES = tuple(_KINDS)


def tree_of(content: bytes, path: str) -> "Node":
    """The root of the tree; `path` ends with one of SUFFIXES. Faults are nodes of it."""
    from tree_sitter import Language, Parser

    kind = _KINDS[PurePosixPath(path).suffix]
    return Parser(Language(_grammar(kind))).parse(content).root_node


def _grammar(kind: str) -> object:
    if kind == "python":
        from tree_sitter_python import language

        return language()
    if kind == "javascript":
        from tree_sitter_javascript import language as javascript

        return javascript()
    from tree_sitter_typescript import language_tsx, language_typescript

    return language_tsx() if kind == "tsx" else language_typescript()
