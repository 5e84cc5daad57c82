"""What can go wrong on disk, in words that a model can act on."""

_SHOWN = 200


class StorageError(Exception):
    """A file could not be read or written; the text names it relative to the project."""


class ExpectedFailure(Exception):
    """Something that a caller can do something about: `reason` names the file, `hint` the way."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason} {hint}")
        self.reason = reason
        self.hint = hint


class LockTimeout(ExpectedFailure):
    """Another process held the lock on a file for too long."""


class CorruptFile(ExpectedFailure):
    """A file holds something that its store did not write."""


class ToolSandboxError(Exception):
    """A path outside what the agent may touch.

    `path` is as the caller gave it, cut, with control characters as escapes: it is shown.
    """

    def __init__(self, path: str, agent: str, reason: str) -> None:
        self.path = printable(path)
        super().__init__(f"{self.path}: {reason}")
        self.agent = agent
        self.reason = reason


def printable(path: str) -> str:
    """`path` on one line, its head if it is long."""
    cut = path if len(path) <= _SHOWN else path[:_SHOWN] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
