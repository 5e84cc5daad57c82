"""Which Claude CLI is started."""

import importlib.util
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

SDK_PACKAGE = "claude_agent_sdk"
_BUNDLED = ("_bundled", "claude")


def find_claude(given: str | None, environ: Mapping[str, str]) -> str:
    """The given one, else `claude` on PATH, else the one inside the SDK, else the word `claude`.

    Paths are written absolute; a word without `/` is left for whoever starts it to look up.
    """
    if given:
        return os.path.abspath(given) if os.sep in given else given
    on_path = shutil.which("claude", path=environ.get("PATH", os.defpath))
    if on_path:
        return os.path.abspath(on_path)
    return bundled_claude() or "claude"


def bundled_claude() -> str | None:
    """The CLI that the package `claude-agent-sdk` carries. The package isn't imported for it."""
    spec = importlib.util.find_spec(SDK_PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, *_BUNDLED)
        if os.access(path, os.X_OK):
            return str(path)
    return None
