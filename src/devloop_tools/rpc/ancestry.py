"""Which processes this one descends from, each known for good by its pid and its start."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_MOST = 100
_LIMIT_S = 5


class Ancestor(NamedTuple):
    """`started` is a text to compare, which tells two processes of one pid apart."""

    pid: int
    started: str


def parent() -> Ancestor | None:
    """Who started this process; None if it has ended since."""
    return _identified(os.getppid())


def ancestors() -> list[Ancestor]:
    """The parent, its parent and so on, but for the system's first process."""
    found: list[Ancestor] = []
    pid = os.getppid()
    while len(found) < _MOST and (ancestor := _identified(pid)):
        found.append(ancestor)
        pid = _facts(pid)[0]
    return found


def _identified(pid: int) -> Ancestor | None:
    if pid <= 1:
        return None
    _, started = _facts(pid)
    return Ancestor(pid, started) if started else None


def _facts(pid: int) -> tuple[int, str]:
    """Parent and start of a process; 0 and an empty text if there is none."""
    if sys.platform != "linux":
        return _facts_from_ps(pid)
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return 0, ""
    # Starts are counted in ticks since the system's own start.
    return int(fields[1]), f"{boot}:{fields[19].decode()}"


def _facts_from_ps(pid: int) -> tuple[int, str]:
    command = ["ps", "-o", "ppid=,lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_LIMIT_S, check=True, text=True)
    except (OSError, subprocess.SubprocessError):
        return 0, ""
    parent_pid, _, started = done.stdout.strip().partition(" ")
    return (int(parent_pid), started.strip()) if parent_pid.isdigit() else (0, "")
