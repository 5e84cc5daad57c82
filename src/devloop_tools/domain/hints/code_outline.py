"""What a source file defines and what each part of it names: functions, tests and hooks.

Names are taken as they are written: which of two functions of one name is meant is not asked.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from devloop_tools.domain.source.tree import Node, line_of, parsed, text_of

MAX_LEVELS = 150
"""Code that is nested deeper is not looked at."""

_TEST_CALLS = frozenset(("it", "test"))
_HOOK_CALLS = frozenset(("beforeEach", "beforeAll", "afterEach", "afterAll"))
_LEFT_OUT = frozenset(("skip", "todo", "skipIf", "runIf"))
_FUNCTIONS = frozenset(
    ("function_declaration", "generator_function_declaration", "method_definition",
     "function_definition")
)  # fmt: skip
_VALUES = frozenset(("arrow_function", "function_expression", "generator_function"))
_HOLDERS = frozenset(("variable_declarator", "public_field_definition", "field_definition", "pair"))
_PLACE = re.compile(r"%[sdifjo#$p%]|\$\{?[\w.]+\}?")


@dataclass(frozen=True, slots=True)
class Part:
    """A function, a test or a hook: its lines, and the names of functions it may call."""

    name: str
    start: int
    end: int
    names: frozenset[str]

    def holds(self, line: int) -> bool:
        return self.start <= line <= self.end


@dataclass(frozen=True, slots=True)
class WrittenTest(Part):
    """A test. `is_left_out` where it is skipped."""

    is_left_out: bool = False

    def is_called(self, title: str) -> bool:
        """Whether a report that says `title` means this test, whose title may have places."""
        parts = _PLACE.split(self.name)
        if len(parts) == 1:
            return self.name == title
        at = 0
        for part in parts:
            at = title.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return title.startswith(parts[0]) and title.endswith(parts[-1])


@dataclass(slots=True)
class Outline:
    """One file. `shared` are the names that hooks and fixtures of every test use."""

    path: str
    functions: list[Part] = field(default_factory=list)
    tests: list[WrittenTest] = field(default_factory=list)
    hooks: list[Part] = field(default_factory=list)
    lines: dict[int, set[str]] = field(default_factory=dict)
    """The names on each line."""

    @property
    def is_test(self) -> bool:
        return bool(self.tests)


def outline_of(content: bytes, path: str) -> Outline:
    """The outline of a JavaScript, TypeScript or Python file, as far as it can be parsed."""
    outline = Outline(path)
    root = parsed(content, path)
    if root is None:
        return outline
    called = _Called()
    for node in _inside(root):
        if name := _called_name(node):
            outline.lines.setdefault(line_of(node), set()).add(name)
            called.add(node, name)
    for node in _inside(root):
        if node.type == "call_expression":
            _add_call(outline, node, called)
        elif name := _defined_name(node):
            _add_function(outline, node, name, called)
    return outline


class _Called:
    """The names of a file that may be called, in the order of the text."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._names: list[str] = []

    def add(self, node: Node, name: str) -> None:
        self._starts.append(node.start_byte)
        self._names.append(name)

    def inside(self, node: Node) -> frozenset[str]:
        first = bisect_left(self._starts, node.start_byte)
        return frozenset(self._names[first : bisect_left(self._starts, node.end_byte)])


def _inside(root: Node) -> Iterator[Node]:
    """Every node, in the order of the text, without recursion."""
    waiting = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        yield node
        if level < MAX_LEVELS:
            waiting.extend((child, level + 1) for child in reversed(node.children))


def _defined_name(node: Node) -> str:
    """The name of the function that `node` defines, if it does."""
    if node.type in _FUNCTIONS:
        return text_of(node.child_by_field_name("name"))
    if node.type in _HOLDERS:
        value = node.child_by_field_name("value")
        if value is not None and value.type in _VALUES:
            name = node.child_by_field_name("name") or node.child_by_field_name("key")
            return text_of(name or node.child_by_field_name("property")).strip("\"'")
    return ""


def _add_function(outline: Outline, node: Node, name: str, called: _Called) -> None:
    names = called.inside(node) - {name}
    start, end = line_of(node), node.end_point.row + 1
    if outline.path.endswith(".py"):
        if name.startswith("test"):
            outline.tests.append(WrittenTest(name, start, end, names | _parameters(node)))
            return
        names |= _parameters(node) if _is_fixture(node) else frozenset()
    outline.functions.append(Part(name, start, end, frozenset(names)))


def _parameters(node: Node) -> frozenset[str]:
    """pytest's fixtures are asked for by the names of parameters."""
    found = node.child_by_field_name("parameters")
    return frozenset(text_of(child) for child in found.named_children) if found else frozenset()


def _is_fixture(node: Node) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type == "decorated_definition"
        and "fixture" in text_of(parent.named_children[0])
    )


def _add_call(outline: Outline, node: Node, called: _Called) -> None:
    """A test, a group or a hook of Vitest, Jest or Mocha: `it.each(...)("title", ...)` too."""
    words = _callee_words(node.child_by_field_name("function"))
    if not words:
        return
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments else []
    start, end = line_of(node), node.end_point.row + 1
    if words[0] in _HOOK_CALLS and values:
        outline.hooks.append(Part(words[0], start, end, called.inside(node)))
    if words[0] not in _TEST_CALLS or not values or values[0].type not in _TITLES:
        return
    title = text_of(values[0])[1:-1]
    names = called.inside(node) - {words[0]}
    outline.tests.append(WrittenTest(title, start, end, names, bool(_LEFT_OUT & set(words))))


_TITLES = frozenset(("string", "template_string"))


def _callee_words(node: Node | None) -> list[str]:
    """`it.skip` as its words; `it.each(table)` stands for what it returns."""
    words: list[str] = []
    for _ in range(MAX_LEVELS):
        if node is None:
            break
        if node.type == "identifier":
            words.append(text_of(node))
            break
        if node.type == "member_expression":
            words.append(text_of(node.child_by_field_name("property")))
            node = node.child_by_field_name("object")
        else:
            called = node.type == "call_expression"
            node = node.child_by_field_name("function") if called else None
    return words[::-1]


def _called_name(node: Node) -> str:
    """The name of a function that may be called here: a plain name, or a method that is called."""
    if node.type == "identifier":
        parent = node.parent
        if parent is not None and parent.type == "attribute":
            return text_of(node) if _is_callee(parent, "function", "call") else ""
        return text_of(node)
    if node.type in ("property_identifier", "private_property_identifier"):
        parent = node.parent
        if parent is not None and _is_callee(parent, "function", "call_expression"):
            return text_of(node)
    return ""


def _is_callee(node: Node, of: str, kind: str) -> bool:
    parent = node.parent
    return parent is not None and parent.type == kind and parent.child_by_field_name(of) == node
