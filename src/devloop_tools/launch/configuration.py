"""Configuration that lies inside the project, where agents work: a person accepts each change.

What was accepted last is kept, whole, in the user's state folder, so that a change can be shown.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path

from devloop_tools.frozen import frozen
from devloop_tools.launch.errors import LaunchError

MAX_FILES = 1000
MAX_FILE_BYTES = 1024 * 1024
MAX_SHOWN = 200
"""Lines of a change that are shown."""

_PASSED_OVER = frozenset({"__pycache__", ".git"})


@frozen
class Configuration:
    """A folder of configuration as it is: its files by their path in it, as text."""

    folder: Path
    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """What `--accept-config` takes."""
        content = json.dumps([str(self.folder), self.files], sort_keys=True).encode()
        return f"sha256:{hashlib.sha256(content).hexdigest()}"

    def changes_since(self, accepted: Mapping[str, str]) -> Iterator[str]:
        """What a person has to look at, a line each."""
        for name in sorted({*self.files, *accepted}):
            before, after = accepted.get(name), self.files.get(name)
            if before == after:
                continue
            if before is None:
                yield f"+ new: {name}"
            elif after is None:
                yield f"- gone: {name}"
            lines = unified_diff(
                (before or "").splitlines(), (after or "").splitlines(), name, name, "", "", 2, ""
            )
            yield from (f"  {line}" for line in lines)


def read_configuration(folder: Path) -> Configuration:
    """Every file below `folder`. Raises LaunchError where there is too much to look at."""
    files: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if _PASSED_OVER & set(name.parts) or not path.is_file():
            continue
        if len(files) == MAX_FILES:
            raise LaunchError(f"{folder}: more than {MAX_FILES} files; keep configuration alone")
        try:
            with path.open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except OSError as exc:
            raise LaunchError(f"{path}: can't be read ({exc.strerror})") from None
        if len(content) > MAX_FILE_BYTES:
            raise LaunchError(f"{path}: larger than {MAX_FILE_BYTES} bytes")
        files[str(name)] = content.decode("utf-8", "backslashreplace")
    return Configuration(folder, files)


def folders_inside(project_dir: Path, configuration: Iterable[Path]) -> list[Path]:
    """The folders of configuration that lie where agents work."""
    return [
        folder for folder in configuration if folder.is_relative_to(project_dir) and folder.is_dir()
    ]


def digest_inside(project_dir: Path, configuration: Iterable[Path]) -> str | None:
    """One digest of all configuration inside the project; None if there is none."""
    inside = folders_inside(project_dir, configuration)
    digests = [read_configuration(folder).digest for folder in inside]
    if not digests:
        return None
    return f"sha256:{hashlib.sha256(' '.join(digests).encode()).hexdigest()}"


def require_unchanged(digest: str, project_dir: Path, configuration: Iterable[Path]) -> None:
    """Raises LaunchError where configuration inside the project isn't what it was at launch."""
    if digest_inside(project_dir, configuration) != digest:
        raise LaunchError(
            "the configuration inside the project has changed since the agent was launched; "
            "launch it again"
        )


def accepted_before(folder: Path, state: Path) -> Mapping[str, str] | None:
    """The files of `folder` as a person accepted them last; None if nobody ever did."""
    try:
        kept = json.loads(_record(folder, state).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) else None


def accept(configuration: Configuration, state: Path) -> None:
    """Remember it as accepted. Raises LaunchError where that can't be kept."""
    record = _record(configuration.folder, state)
    content = json.dumps(configuration.files, ensure_ascii=True).encode()
    temporary = record.with_name(f"{record.name}.{os.getpid()}")
    try:
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as to:
            to.write(content)
            os.fsync(to.fileno())
        temporary.replace(record)
    except OSError as exc:
        raise LaunchError(f"{record}: can't be written ({exc.strerror})") from None


def _record(folder: Path, state: Path) -> Path:
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    return state / "configurations" / f"{name}.json"
