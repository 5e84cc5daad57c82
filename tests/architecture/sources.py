"""The project's own sources, taken apart; no tree is kept, since trees are large."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def nodes_of(tree: ast.AST) -> Sequence[ast.AST]:
    """Every node below, found once for all the rules that are asked about one tree."""
    return list(ast.walk(tree))


def functions_in(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function below, also inside another. No expression holds one, so none is searched."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from functions_in(child)
