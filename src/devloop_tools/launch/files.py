"""The private folder for what a CLI reads at its start, and the end of what is old in it.

Names in it stand in command lines, which everybody can see; what they hold only its owner may
read or change.
"""

import os
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from devloop_tools.launch.errors import LaunchError

KEPT_S = 7 * 24 * 60 * 60
"""A run's folder that is older is swept, unless a process still names it."""

_PROCESSES = Path("/proc")
_LONGEST_NAME = 60


def private_folder(environ: Mapping[str, str]) -> Path:
    """Our folder below XDG_RUNTIME_DIR, else below the temporary folder; made if it isn't there.

    Raises LaunchError where it is somebody else's, a link, or open to others.
    """
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and _is_own_folder(Path(runtime)):
        folder = Path(runtime, "devloop-tools")
    else:
        folder = Path(tempfile.gettempdir()).absolute() / f"devloop-tools-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as exc:
        raise LaunchError(f"{folder}: can't be made ({exc.strerror})") from None
    if fault := _fault_of(folder):
        raise LaunchError(f"{folder}: {fault}; files of the launch would not be private there")
    return folder


def run_folder(private: Path, agent: str) -> Path:
    """A name for this run's folder that nobody has. It is made by `write_run`."""
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in agent)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return private / f"{name[:_LONGEST_NAME]}-{stamp}-{secrets.token_hex(4)}"


def write_run(folder: Path, contents: Mapping[Path, bytes]) -> None:
    """Make the run's folder and its files, readable by this user alone. Raises LaunchError."""
    try:
        folder.mkdir(mode=0o700)
        for path, content in contents.items():
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                file.write(content)
    except OSError as exc:
        raise LaunchError(f"{folder}: can't be written ({exc.strerror})") from None


def sweep(private: Path, now: float) -> None:
    """Remove the folders of old runs whose CLI is gone. What can't be removed stays."""
    old = [folder for folder in private.iterdir() if _is_old(folder, now)]
    if old and (running := _command_lines()):
        for folder in old:
            if not any(os.fsencode(folder) in line for line in running):
                shutil.rmtree(folder, ignore_errors=True)


def _is_old(folder: Path, now: float) -> bool:
    try:
        status = folder.lstat()
    except FileNotFoundError:
        # Another sweep was faster.
        return False
    return stat.S_ISDIR(status.st_mode) and now - status.st_mtime > KEPT_S


def _is_own_folder(folder: Path) -> bool:
    """Whether a session's runtime folder can be ours: after `su` it is still the other user's."""
    try:
        status = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _fault_of(folder: Path) -> str | None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return "a link or a file, where a folder is needed; remove it"
    if status.st_uid != os.geteuid():
        return f"belongs to another user ({status.st_uid}); ask them to remove it"
    if stat.S_IMODE(status.st_mode) != 0o700:
        return f"its mode is {stat.S_IMODE(status.st_mode):04o}, not 0700; chmod 700 it"
    return None


def _command_lines() -> list[bytes]:
    """Those of all processes that can be seen; nothing where that can't be found out."""
    own = _PROCESSES / "self" / "cmdline"
    return list(_from_proc()) if own.exists() else _from_ps()


def _from_proc() -> Iterable[bytes]:
    for path in _PROCESSES.glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes()
        except OSError:
            # It ended between the listing and the reading.
            continue


def _from_ps() -> list[bytes]:
    try:
        done = subprocess.run(
            ["ps", "-axww", "-o", "command="], capture_output=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()
