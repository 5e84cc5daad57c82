"""Modules and functions stay small enough to be read at once."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from tests.architecture.sources import ROOT, functions_in, tree_of

MAX_MODULE = 400
MAX_FUNCTION = 50

EXEMPT: dict[str, int] = {}
"""`path` or `path:function` with its number of lines; entries go and shrink, none is added."""

FILES = sorted(
    path
    for folder in ("src", "tests", "scripts", "bench")
    for path in (ROOT / folder).rglob("*.py")
)


@cache
def sizes(path: Path) -> Sequence[tuple[str, int, int]]:
    """The module and the bodies of its functions: name, number of lines, most that are allowed."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    found = [(name, len(text.splitlines()), MAX_MODULE)]
    for function in functions_in(tree_of(path)):
        first = function.body[0].lineno
        lines = (function.end_lineno or first) - first + 1
        found.append((f"{name}:{function.name}", lines, MAX_FUNCTION))
    return found


def test_modules_and_functions_keep_to_their_budgets() -> None:
    too_long = [
        f"{name}: {lines} lines, {EXEMPT.get(name, allowed)} are allowed"
        for path in FILES
        for name, lines, allowed in sizes(path)
        if lines > EXEMPT.get(name, allowed)
    ]
    assert too_long == []


def test_an_exemption_that_is_not_needed_any_more_is_removed() -> None:
    found = {name: (lines, allowed) for path in FILES for name, lines, allowed in sizes(path)}
    stale = [
        name
        for name, granted in EXEMPT.items()
        if name not in found or granted != found[name][0] or granted <= found[name][1]
    ]
    assert stale == []


def test_what_is_too_long_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    file = tmp_path / "long.py"
    file.write_text("def f():\n" + "    pass\n" * (MAX_FUNCTION + 1) + "\n" * MAX_MODULE)
    assert [(name, lines > allowed) for name, lines, allowed in sizes(file)] == [
        ("long.py", True),
        ("long.py:f", True),
    ]
