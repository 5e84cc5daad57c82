"""The project folder of one agent: where each file lies, and the only way to it."""

import contextlib
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.listing import Listed, files_below
from devloop_tools.storage.locks import FileLocks
from devloop_tools.storage.sandbox import Operation, Sandbox

STATE_FOLDER = ".devloop"


@dataclass(frozen=True)
class Workspace:
    """Paths are relative to `root`, with `/`. `unit_id` is set for coder and tester."""

    root: Path
    sandbox: Sandbox
    unit_id: str | None = None
    company: Path | None = None
    locks: FileLocks = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "locks", FileLocks(self.root))

    @property
    def agent(self) -> str:
        return self.sandbox.agent

    @property
    def todo_list(self) -> str:
        return f"agent-state/{self.agent}-todo.json"

    @property
    def runtime_state(self) -> str:
        return f"agent-state/{self.agent}-runtime.json"

    @property
    def timeline(self) -> str:
        return "timeline.ndjson"

    @property
    def memory_folder(self) -> str:
        return f"memory/devloop/{self.agent}"

    @property
    def unit_folder(self) -> str | None:
        return f"units/{self.unit_id}" if self.unit_id else None

    @contextlib.contextmanager
    def locked(self, path: str) -> Iterator[ProjectFile]:
        """The file at `path` for reading and writing, alone over all processes.

        Raises ToolSandboxError where the agent may not write it, LockTimeout after 30 s.
        """
        _, names = self.sandbox.require(path, Operation.WRITE)
        with self.locks.hold("/".join(names)):
            yield ProjectFile(self.root, names, self.agent)

    def beside(self, path: str) -> ProjectFile:
        """A file that the lock of another one guards, such as a history entry."""
        _, names = self.sandbox.require(path, Operation.WRITE)
        return ProjectFile(self.root, names, self.agent)

    def readable(self, path: str) -> ProjectFile:
        """The file at `path`, for reading. Raises ToolSandboxError where it is closed to it."""
        root, names = self.sandbox.require(path, Operation.READ)
        return ProjectFile(root or self.root, names, self.agent)

    def files_below(self, path: str, *, without: Container[str] | None = None) -> list[Listed]:
        """The files below a folder, by paths in it. Raises ToolSandboxError as `read` does.

        With `without`, folders of those names and hidden ones are not entered.
        """
        root, names = self.sandbox.require(path, Operation.READ)
        return files_below(root or self.root, names, self.agent, without=without)

    def read(self, path: str) -> bytes | None:
        """The bytes at `path`, or None. Raises ToolSandboxError where it is closed to reading."""
        return self.readable(path).read()
