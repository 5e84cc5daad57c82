"""What came of trying a pack, and the cache of it in the user's state folder: never a must."""

import contextlib
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

MAX_KEPT = 1000

RULES = ("registry/*.py", "toolkit/*.py", "domain/json_schemas.py", "domain/linear_patterns.py")
"""What a verdict hangs on beside the pack's own file: the modules that try a pack and judge it."""

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class PackVerdict:
    """`fatal` keeps the whole pack out; `unsound` its tools by name; `notes` are only told."""

    fatal: str = ""
    unsound: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def reasons(self) -> list[str]:
        """All that is wrong, a sentence each."""
        fatal = [self.fatal] if self.fatal else []
        return [*fatal, *(f"{name}: {why}" for name, why in self.unsound.items()), *self.notes]


class PackVerdicts:
    """Verdicts by digest of the file, for the rules as they are now."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._verdicts = _read(file)
        self._changed = False

    def known(self, digest: str) -> PackVerdict | None:
        """What came of a file with this content, if it was tried."""
        return self._verdicts.get(digest)

    def remember(self, digest: str, verdict: PackVerdict) -> None:
        """Keep what came of it."""
        if self._verdicts.get(digest) != verdict:
            self._verdicts[digest] = verdict
            self._changed = True

    def save(self) -> None:
        """Keep it for the next start; where nothing can be kept, the next start tries again."""
        if not self._changed:
            return
        newest = dict(list(self._verdicts.items())[-MAX_KEPT:])
        content = orjson.dumps({"rules": rules_digest(), "verdicts": newest})
        temporary = self._file.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.write_bytes(content)
            temporary.replace(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


@cache
def rules_digest(package: Path = _PACKAGE) -> str:
    """A SHA-256 of the sources that RULES name."""
    digest = hashlib.sha256()
    for path in sorted(path for rule in RULES for path in package.glob(rule)):
        with contextlib.suppress(OSError):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def verdicts_file(environ: Mapping[str, str]) -> Path:
    """Where they are kept."""
    return state_folder(environ) / "packs.json"


def state_folder(environ: Mapping[str, str]) -> Path:
    """What the user's servers keep between starts (XDG Base Directory Specification)."""
    given = environ.get("XDG_STATE_HOME", "")
    # A relative one is to be ignored, and a user without a home has nowhere to keep anything.
    state = given if os.path.isabs(given) else os.path.expanduser("~/.local/state")
    return Path(state if os.path.isabs(state) else os.devnull) / "devloop-tools"


def to_json(verdict: PackVerdict) -> bytes:
    """One line without its LF."""
    return orjson.dumps(verdict)


def from_json(text: bytes) -> PackVerdict:
    """The same back. Raises ValueError, TypeError for anything else."""
    return _verdict(orjson.loads(text))


def _verdict(fields: Any) -> PackVerdict:
    verdict = PackVerdict(**fields)
    texts = [verdict.fatal, *verdict.unsound, *verdict.unsound.values(), *verdict.notes]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("not what was kept")
    return verdict


def _read(file: Path) -> dict[str, PackVerdict]:
    try:
        kept: Any = orjson.loads(file.read_bytes())
        if kept["rules"] != rules_digest():
            return {}
        return {digest: _verdict(fields) for digest, fields in kept["verdicts"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # Whatever stands there, it is only a cache.
        return {}
