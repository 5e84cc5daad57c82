"""Which packs have passed their trial, kept in the user's state folder: a cache, never a must."""

import os
from collections.abc import Mapping
from pathlib import Path

import orjson

from devloop_tools.version import VERSION

MAX_KEPT = 1000


class PackVerdicts:
    """Digests of files that were imported in a child without trouble, by this version of ours."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._passed = _read(file)
        self._changed = False

    def passed(self, digest: str) -> bool:
        """Whether a file with this content has passed."""
        return digest in self._passed

    def remember(self, digest: str) -> None:
        """It has passed."""
        if digest not in self._passed:
            self._passed.append(digest)
            self._changed = True

    def save(self) -> None:
        """Keep it for the next start; where nothing can be kept, the next start tries again."""
        if not self._changed:
            return
        content = orjson.dumps({"version": VERSION, "passed": self._passed[-MAX_KEPT:]})
        temporary = self._file.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.write_bytes(content)
            temporary.replace(self._file)
        except OSError:
            temporary.unlink(missing_ok=True)


def verdicts_file(environ: Mapping[str, str]) -> Path:
    """Where they are kept (XDG Base Directory Specification, XDG_STATE_HOME)."""
    state = environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "devloop-tools" / "packs.json"


def _read(file: Path) -> list[str]:
    try:
        kept = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        return []
    return [digest for digest in kept.get("passed", []) if isinstance(digest, str)]
