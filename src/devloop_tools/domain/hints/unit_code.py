"""The source files around a failure, and which of their functions each test reaches."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from devloop_tools.domain.hints.code_outline import Outline, Part, WrittenTest, outline_of
from devloop_tools.domain.source.tree import SUFFIXES
from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

MAX_FILES = 300
MAX_FILE_BYTES = 200_000
MAX_ALL_BYTES = 3_000_000
MAX_STEPS = 12
"""How deep calls are followed from a test."""

_PASSED_OVER = frozenset(
    "node_modules dist build coverage .venv venv __pycache__ .git .devloop .vitest".split()
)


@dataclass(frozen=True, slots=True)
class Defined:
    """A function of the code that is tested."""

    path: str
    part: Part


@dataclass
class UnitCode:
    """The outlines by path; functions of test files are walked through and never suspected."""

    outlines: dict[str, Outline] = field(default_factory=dict)
    functions: dict[str, list[Defined]] = field(default_factory=dict)

    def add(self, outline: Outline) -> None:
        self.outlines[outline.path] = outline
        for part in outline.functions:
            self.functions.setdefault(part.name, []).append(Defined(outline.path, part))

    def test(self, file: str, title: str, line: int | None) -> WrittenTest | None:
        """The test of a file by its title, else by a line in it."""
        outline = self.outlines.get(file)
        if outline is None:
            return None
        plain = title.partition("[")[0] if file.endswith(".py") else title
        named = [test for test in outline.tests if test.is_called(plain)]
        held = [test for test in named if line is None or test.holds(line)]
        if found := held or named:
            return found[0]
        return next((test for test in outline.tests if line and test.holds(line)), None)

    def defined_at(self, path: str, line: int) -> Defined | None:
        """The innermost function around a line of the code that is tested."""
        outline = self.outlines.get(path)
        if outline is None or outline.is_test:
            return None
        around = [part for part in outline.functions if part.holds(line)]
        inner = min(around, key=lambda part: part.end - part.start, default=None)
        return Defined(path, inner) if inner else None

    def reached(self, outline: Outline, names: Iterable[str]) -> dict[Defined, int]:
        """The functions that code which says `names` comes to, with the number of steps."""
        found: dict[Defined, int] = {}
        waiting = deque((name, 1) for name in names)
        seen = set(names)
        while waiting:
            name, steps = waiting.popleft()
            for defined in self._meant(name, outline):
                is_own = not self.outlines[defined.path].is_test
                if is_own:
                    found.setdefault(defined, steps)
                below = steps + 1 if is_own else steps
                new = defined.part.names - seen if below <= MAX_STEPS else frozenset()
                seen |= new
                waiting += [(inner, below) for inner in sorted(new)]
        return found

    def _meant(self, name: str, outline: Outline) -> Sequence[Defined]:
        """The functions of a name: those of test files only inside of these."""
        return [
            defined
            for defined in self.functions.get(name, ())
            if defined.path == outline.path or not self.outlines[defined.path].is_test
        ]


def read_code(workspace: Workspace, folder: str, files: Iterable[str]) -> UnitCode:
    """The code below `folder`, and `files` whatever their folder, within bounds."""
    code = UnitCode()
    paths = [path for path in dict.fromkeys(files) if path.endswith(SUFFIXES)]
    left = MAX_ALL_BYTES
    for path in [*paths, *_paths_below(workspace, folder, paths)][:MAX_FILES]:
        content = _content(workspace, path)
        if content is not None and len(content) <= min(MAX_FILE_BYTES, left):
            left -= len(content)
            code.add(outline_of(content, path))
    return code


def _paths_below(workspace: Workspace, folder: str, known: Sequence[str]) -> list[str]:
    try:
        listed = workspace.files_below(folder)
    except (ToolSandboxError, StorageError, ExpectedFailure):
        return []
    inside = [file for file in listed if _is_code(file.path) and file.size <= MAX_FILE_BYTES]
    paths = [f"{folder}/{file.path}" if folder not in ("", ".") else file.path for file in inside]
    return [path for path in paths if path not in known]


def _is_code(path: str) -> bool:
    return path.endswith(SUFFIXES) and not _PASSED_OVER & set(PurePosixPath(path).parts)


def _content(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(path)
    except (ToolSandboxError, StorageError, ExpectedFailure):
        return None
