"""Rules that no linter knows: where what may stand, and which names say too little."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.architecture.sources import ROOT, functions_in, nodes_of, tree_of

SRC = ROOT / "src" / "devloop_tools"
MODULES = {
    path.relative_to(SRC).as_posix(): path
    for path in sorted(SRC.rglob("*.py"))
    if "assets" not in path.parts
}

REFUSED_WORDS = frozenset(
    {"manager", "helper", "utils", "util", "service", "engine", "processor", "base", "common"}
)

LAZY_IMPORTS = {
    "domain/contracts/canonical_json.py": "wraps rfc8785, which only contracts need",
    "domain/html/pieces.py": "wraps selectolax for pieces of HTML that are written again",
    "domain/html/to_markdown.py": "wraps html-to-markdown, which no server needs",
    "domain/html/tree.py": "wraps selectolax and w3lib, which only pages need",
    "domain/html/from_markdown.py": "wraps markdown-it-py, which only chapters need",
    "domain/html/sanitising.py": "wraps nh3, which only chapters need",
    "domain/json_schemas.py": "wraps jsonschema, which most servers never need",
    "domain/project_resources.py": "the index of memories, which only a list of resources reads",
    "domain/reports/json_events.py": "wraps ijson, which only JSON reports need",
    "domain/reports/junit_report.py": "wraps defusedxml, which only JUnit reports need",
    "domain/running/processes.py": "wraps psutil, which only units and ports need",
    "domain/running/probes.py": "wraps http.client, which only health and cases need",
    "rpc/process_starts.py": "psutil, which Linux does without here",
    "rpc/first_lines.py": "select for a slow client: the first answer would wait",
    "server/shell_commands.py": "the guard's parser, which only a command of a shell needs",
    "toolkit/context.py": "stores, which only the calls that use them need",
    "toolkit/json_schema.py": "knows referencing, which most servers never need",
}
"""Modules beside `app.py` and `cli/` that import inside functions, and why."""

CATCHES_ALL = {
    "rpc/worker_threads.py": "what work in a thread raises is raised where it is waited for",
    "server/execution.py": "a tool may raise anything",
    "server/tools_list.py": "a tool whose module raises hides no other",
    "server/dispatcher.py": "our own faults are logged, and the client learns no more",
    "registry/packs.py": "a pack may raise anything when it is imported",
    "registry/soundness.py": "a pack's model may raise anything when its schema is drawn",
}
"""Modules beside `cli/` that catch every exception and go on, and why."""


def words_in(name: str) -> set[str]:
    """The words of a name in snake or camel case."""
    return set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower()))


def lazy_imports(tree: ast.Module) -> Iterator[str]:
    for function in functions_in(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield ast.unparse(node)


def swallowed(tree: ast.Module) -> Iterator[int]:
    """Lines of handlers that catch everything and don't raise it again."""
    for node in nodes_of(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "BaseException"
            catches_all = {"Exception", "BaseException"} & set(re.findall(r"\w+", caught))
            last = node.body[-1]
            if catches_all and not (isinstance(last, ast.Raise) and last.exc is None):
                yield node.lineno


def prints(tree: ast.Module) -> bool:
    called = (node.func for node in nodes_of(tree) if isinstance(node, ast.Call))
    return any(isinstance(func, ast.Name) and func.id == "print" for func in called)


def classes_in(tree: ast.Module) -> list[str]:
    return [node.name for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]


def says_what_it_is_for(tree: ast.Module) -> bool:
    docstring = ast.get_docstring(tree) or ""
    return docstring.partition("\n")[0].endswith((".", ":", "?"))


def mutable_in(tree: ast.Module) -> Iterator[str]:
    """Assignments of lists and sets at module level, but `__all__`."""
    literals = (ast.List, ast.Set, ast.ListComp, ast.SetComp)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, literals):
            text = ast.unparse(node)
            if not text.startswith("__all__ ="):
                yield text


@dataclass(frozen=True)
class Found:
    """What the rules ask of a module."""

    prints: bool
    lazy_imports: Sequence[str]
    swallowed: Sequence[int]
    classes: Sequence[str]
    says_what_it_is_for: bool
    mutable: Sequence[str]


@cache
def found_in(name: str) -> Found:
    tree = tree_of(MODULES[name])
    return Found(
        prints(tree),
        list(lazy_imports(tree)),
        list(swallowed(tree)),
        classes_in(tree),
        says_what_it_is_for(tree),
        list(mutable_in(tree)),
    )


def unexplained(source: str) -> Iterator[str]:
    """Lines that switch a check off without a reason."""
    for line in source.splitlines():
        for mark in ("# type: ignore", "# noqa"):
            if mark in line and not re.search(
                rf"{mark}\S*(\[[\w, -]+\])?( [A-Z]+\d+)*\s+# \w+", line
            ):
                yield line


def test_a_package_is_a_name_and_holds_no_code() -> None:
    with_code = [
        name
        for name, path in MODULES.items()
        if path.name == "__init__.py" and path.read_text(encoding="utf-8")
    ]
    assert with_code == ["toolkit/__init__.py"]


def test_nobody_prints() -> None:
    assert [name for name in MODULES if found_in(name).prints] == []


def test_imports_stand_at_the_top() -> None:
    held = [name for name in MODULES if name != "app.py" and not name.startswith("cli/")]
    lazy = {name for name in held if found_in(name).lazy_imports}
    assert lazy == LAZY_IMPORTS.keys(), "an exception that isn't needed any more is removed"


def test_everything_is_caught_at_the_boundaries_alone() -> None:
    held = [name for name in MODULES if not name.startswith("cli/")]
    catching = {name for name in held if found_in(name).swallowed}
    assert catching == CATCHES_ALL.keys(), "an exception that isn't needed any more is removed"


def test_names_say_what_a_thing_is() -> None:
    names = {
        f"{name}: {word}"
        for name in MODULES
        for word in [*Path(name).with_suffix("").parts, *found_in(name).classes]
        if words_in(word) & REFUSED_WORDS
    }
    assert names == set()


def test_a_module_says_what_it_is_for() -> None:
    silent = [
        name
        for name, path in MODULES.items()
        if path.name != "__init__.py" and not found_in(name).says_what_it_is_for
    ]
    assert silent == []


def test_nothing_mutable_stands_at_module_level() -> None:
    mutable = {name: found_in(name).mutable for name in MODULES if found_in(name).mutable}
    assert mutable == {}


def test_a_check_that_is_switched_off_says_why() -> None:
    silent = {
        name: found
        for name, path in MODULES.items()
        if (found := list(unexplained(path.read_text(encoding="utf-8"))))
    }
    assert silent == {}


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


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Says it."""\nA = [1]\n', ["A = [1]"]),
        ("A: set[int] = {1}\n", ["A: set[int] = {1}"]),
        ('__all__ = ["a"]\nB = (1,)\n', []),
    ],
)
def test_a_mutable_at_module_level_is_found(source: str, found: list[str]) -> None:
    assert list(mutable_in(ast.parse(source))) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x = 1  # type: ignore[misc]", 1),
        ("x = 1  # noqa: E501", 1),
        ("x = 1  # type: ignore[misc]  # the library's types are wrong", 0),
        ("x = 1  # noqa: E501  # a table", 0),
    ],
)
def test_a_switched_off_check_without_a_reason_is_found(line: str, found: int) -> None:
    assert len(list(unexplained(line))) == found


@pytest.mark.parametrize(
    ("source", "does"), [("print(1)", True), ("log.print(1)\nprinted(1)", False)]
)
def test_a_print_is_found(source: str, does: bool) -> None:
    assert prints(ast.parse(source)) is does


@pytest.mark.parametrize(
    ("source", "says"), [('"""What it is."""', True), ('"""What it is"""', False), ("x = 1", False)]
)
def test_a_module_that_says_nothing_is_found(source: str, says: bool) -> None:
    assert says_what_it_is_for(ast.parse(source)) is says
