"""What came of trying packs, kept in the user's state folder: a cache, never a must."""

import os
from collections.abc import Mapping
from pathlib import Path

import orjson

from devloop_tools.version import VERSION

MAX_KEPT = 1000


class PackVerdicts:
    """Verdicts by digest of the file, for this version of ours."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._verdicts = _read(file)
        self._changed = False

    def known(self, digest: str) -> str | None:
        """What came of a file with this content: "" if it passed, else why not; None: untried."""
        return self._verdicts.get(digest)

    def remember(self, digest: str, reason: str) -> None:
        """Keep what came of it."""
        if self._verdicts.get(digest) != reason:
            self._verdicts[digest] = reason
            self._changed = True

    def save(self) -> None:
        """Keep it for the next start; where nothing can be kept, the next start tries again."""
        if not self._changed:
            return
        newest = dict(list(self._verdicts.items())[-MAX_KEPT:])
        content = orjson.dumps({"version": VERSION, "verdicts": newest})
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


def _read(file: Path) -> dict[str, str]:
    try:
        kept = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        return {}
    verdicts = kept.get("verdicts")
    if not isinstance(verdicts, dict):
        return {}
    return {digest: reason for digest, reason in verdicts.items() if isinstance(reason, str)}
