"""The files that a report names, as paths in the project."""

from dataclasses import dataclass, field

from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

MAX_LOOKED_UP = 300
"""Different files that are looked for; further ones stay as the report names them."""

MAX_STEPS = 40


@dataclass
class Places:
    """Reports are written in containers and other checkouts: a file is found by its path's end."""

    workspace: Workspace
    root: str = ""
    """The folder that the runner says it ran in."""
    _known: dict[str, str] = field(default_factory=dict)

    def relative(self, file: str) -> str:
        """`file` relative to the project if it is there, else as the report has it."""
        file = file.removeprefix("file://")
        if file not in self._known and len(self._known) < MAX_LOOKED_UP:
            self._known[file] = self._found(file)
        return self._known.get(file, file)

    def _found(self, file: str) -> str:
        if not file or file.startswith(("node:", "<")):
            return file
        own = f"{self.workspace.root}/"
        if file.startswith(own):
            return file.removeprefix(own)
        unit = self.workspace.unit_folder
        steps = file.split("/")
        steps = [step for step in steps if step not in ("", ".", "..")][-MAX_STEPS:]
        for start in range(len(steps) if file.startswith("/") else 1):
            end = "/".join(steps[start:])
            for folder in (unit, None):
                path = f"{folder}/{end}" if folder else end
                if self._exists(path):
                    return path
        below = f"{self.root}/" if self.root else ""
        return file.removeprefix(below) if below and file.startswith(below) else file

    def _exists(self, path: str) -> bool:
        try:
            return self.workspace.readable(path).exists()
        except (ToolSandboxError, StorageError, ExpectedFailure):
            return False
