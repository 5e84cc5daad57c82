"""When a process started, by which it is told from others that had its pid before.

Read from `/proc`, at once; elsewhere psutil tells it, which is loaded when it is asked.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Start(NamedTuple):
    """A living process: its parent's pid, and its start as a text to compare."""

    parent: int
    started: str


def start_of(pid: int) -> Start | None:
    """Of the living process `pid`; None if there is none, or only what is left of an ended one."""
    if sys.platform != "linux":
        return _start_by_psutil(pid)
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    # Starts are counted in ticks since the system's own start.
    started = f"{_boot()}:{fields[19].decode()}"
    return None if fields[0] in b"ZX" else Start(int(fields[1]), started)


def _start_by_psutil(pid: int) -> Start | None:
    import psutil

    try:
        found: Any = psutil.Process(pid)
        if found.status() == psutil.STATUS_ZOMBIE:
            return None
        return Start(found.ppid(), str(found.create_time()))
    except psutil.Error:
        return None


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
