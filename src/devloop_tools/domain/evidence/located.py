"""Finds the project's file that a stack trace means, whatever folder it ran in."""

import re

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

_OUTSIDE = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|\.venv)/|^node:|^internal/|^<|/lib/python3"
    r"|^native$|^https?://(?!localhost|127\.0\.0\.1)"
)
_SCHEME = re.compile(r"^(?:file://|webpack-internal:///|webpack://[^/]*/|https?://[^/]+/)")
_TOP_FOLDERS = frozenset({"units", "sdd", "prd", "src", "lib", "app", "test", "tests", "packages"})
_MOST_FOLDERS = 12
_MOST_PATHS = 1_000
"""Different paths that are looked up: a log may name any number of them."""


class Locator:
    """Maps paths of traces to paths of the project. One a call: it remembers what it looked up."""

    def __init__(self, workspace: Workspace, unit_id: str | None) -> None:
        self._workspace = workspace
        self._unit = f"units/{unit_id}/" if unit_id else ""
        self._known: dict[str, tuple[str, bool]] = {}

    def locate(self, path: str) -> tuple[str, bool] | None:
        """The path below the project folder, and whether the file is there.

        None where the path is a library's, the runtime's or no path at all, and where a thousand
        others have been looked up.
        """
        plain = _SCHEME.sub("", path.replace("\\", "/")).partition("?")[0]
        if _OUTSIDE.search(path) or _OUTSIDE.search(plain) or not plain.strip("/. "):
            return None
        if plain not in self._known:
            if len(self._known) == _MOST_PATHS:
                return None
            self._known[plain] = self._find(plain)
        return self._known[plain]

    def _find(self, path: str) -> tuple[str, bool]:
        path = path.removeprefix(f"{self._workspace.root}/")
        parts = [part for part in path.split("/") if part not in ("", ".", "..")]
        for start in range(min(len(parts), _MOST_FOLDERS)):
            below = "/".join(parts[start:])
            for candidate in dict.fromkeys((f"{self._unit}{below}", below)):
                # A bare name would match too much: it counts where the trace gives no more.
                is_whole = start == 0 or "/" in below
                if is_whole and self._is_there(candidate):
                    return candidate, True
        first = next((n for n, part in enumerate(parts) if part in _TOP_FOLDERS), None)
        if path.startswith("/"):
            parts = parts[first:] if first is not None else parts[-1:]
        return "/".join(parts), False

    def _is_there(self, path: str) -> bool:
        try:
            return self._workspace.readable(path).exists()
        except (ToolSandboxError, StorageError, OSError):
            return False
