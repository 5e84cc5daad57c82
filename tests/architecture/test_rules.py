"""Rules that no linter knows: where what may stand, and which names say too little."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "devloop_tools"
MODULES = {path.relative_to(SRC).as_posix(): path for path in sorted(SRC.rglob("*.py"))}
every_module = pytest.mark.parametrize("name", MODULES)

REFUSED_WORDS = frozenset(
    {"manager", "helper", "utils", "util", "service", "engine", "processor", "base", "common"}
)

LAZY_IMPORTS = {
    "domain/canonical_json.py": "wraps rfc8785, which only contracts need",
    "domain/dom.py": "wraps selectolax for pieces of HTML that are written again",
    "domain/html_markdown.py": "wraps html-to-markdown, which no server needs",
    "domain/html_reading.py": "wraps selectolax and w3lib, which only pages need",
    "domain/markdown.py": "wraps markdown-it-py, which only chapters need",
    "domain/sanitising.py": "wraps nh3, which only chapters need",
    "domain/schema_faults.py": "wraps jsonschema for contracts, which most servers never check",
    "rpc/first_lines.py": "select for a slow client: the first answer would wait",
    "toolkit/json_schema.py": "wraps jsonschema, which most servers never need",
}
"""Modules beside `app.py` and `cli/` that import inside functions, and why."""

CATCHES_ALL = {
    "server/execution.py": "a tool may raise anything",
    "server/dispatcher.py": "our own faults are logged, and the client learns no more",
    "registry/packs.py": "a pack may raise anything when it is imported",
    "registry/soundness.py": "a pack's model may raise anything when its schema is drawn",
}
"""Modules beside `cli/` that catch every exception and go on, and why."""


def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def words_in(name: str) -> set[str]:
    """The words of a name in snake or camel case."""
    return set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower()))


def lazy_imports(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield ast.unparse(node)


def swallowed(tree: ast.Module) -> Iterator[int]:
    """Lines of handlers that catch everything and don't raise it again."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "BaseException"
            catches_all = {"Exception", "BaseException"} & set(re.findall(r"\w+", caught))
            last = node.body[-1]
            if catches_all and not (isinstance(last, ast.Raise) and last.exc is None):
                yield node.lineno


@every_module
def test_a_package_is_a_name_and_holds_no_code(name: str) -> None:
    if name.endswith("__init__.py") and name != "toolkit/__init__.py":
        assert MODULES[name].read_text(encoding="utf-8") == ""


@every_module
def test_nobody_prints(name: str) -> None:
    calls = [node for node in ast.walk(tree_of(name)) if isinstance(node, ast.Call)]
    assert [ast.unparse(call) for call in calls if ast.unparse(call.func) == "print"] == []


@every_module
def test_imports_stand_at_the_top(name: str) -> None:
    if name == "app.py" or name.startswith("cli/") or name in LAZY_IMPORTS:
        return
    assert list(lazy_imports(tree_of(name))) == []


@every_module
def test_everything_is_caught_at_the_boundaries_alone(name: str) -> None:
    if name.startswith("cli/") or name in CATCHES_ALL:
        return
    assert list(swallowed(tree_of(name))) == []


@pytest.mark.parametrize("name", [*LAZY_IMPORTS, *CATCHES_ALL])
def test_an_exception_to_a_rule_that_is_not_needed_any_more_is_removed(name: str) -> None:
    tree = tree_of(name)
    assert name not in LAZY_IMPORTS or list(lazy_imports(tree))
    assert name not in CATCHES_ALL or list(swallowed(tree))


@every_module
def test_names_say_what_a_thing_is(name: str) -> None:
    classes = [node.name for node in ast.walk(tree_of(name)) if isinstance(node, ast.ClassDef)]
    names = [*Path(name).with_suffix("").parts, *classes]
    assert [word for word in names if words_in(word) & REFUSED_WORDS] == []


@every_module
def test_a_module_says_what_it_is_for(name: str) -> None:
    if MODULES[name].name != "__init__.py":
        docstring = ast.get_docstring(tree_of(name))
        assert docstring
        assert docstring.splitlines()[0].endswith((".", ":", "?"))


@every_module
def test_nothing_mutable_stands_at_module_level(name: str) -> None:
    literals = (ast.List, ast.Set, ast.ListComp, ast.SetComp)
    mutable = [
        ast.unparse(node)
        for node in tree_of(name).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, literals)
    ]
    assert [text for text in mutable if not text.startswith("__all__ =")] == []


@every_module
def test_a_check_that_is_switched_off_says_why(name: str) -> None:
    for line in MODULES[name].read_text(encoding="utf-8").splitlines():
        for mark in ("# type: ignore", "# noqa"):
            if mark in line:
                assert re.search(rf"{mark}\S*(\[[\w, -]+\])?( [A-Z]+\d+)*\s+# \w+", line), line


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f():\n    import os\n", ["import os"]),
        ("async def f():\n    if 1:\n        from a import b\n", ["from a import b"]),
        ("import os\nif 1:\n    import sys\n", []),
    ],
)
def test_an_import_inside_a_function_is_found(source: str, found: list[str]) -> None:
    assert list(lazy_imports(ast.parse(source))) == found


@pytest.mark.parametrize(
    ("handler", "found"),
    [
        ("except Exception:\n    pass", [3]),
        ("except:\n    pass", [3]),
        ("except (ValueError, Exception) as exc:\n    raise ValueError from exc", [3]),
        ("except BaseException:\n    clean()\n    raise", []),
        ("except ValueError:\n    pass", []),
    ],
)
def test_a_handler_that_swallows_everything_is_found(handler: str, found: list[int]) -> None:
    assert list(swallowed(ast.parse(f"try:\n    f()\n{handler}\n"))) == found


@pytest.mark.parametrize("name", ["ToolManager", "base", "file_utils", "BaseTool", "DataProcessor"])
def test_a_name_that_says_too_little_is_found(name: str) -> None:
    assert words_in(name) & REFUSED_WORDS


@pytest.mark.parametrize(
    "name", ["database", "Registry", "Baseline", "commons", "TimelineAppender"]
)
def test_a_name_that_only_sounds_alike_is_free(name: str) -> None:
    assert not words_in(name) & REFUSED_WORDS
