"""Other processes: which one a pid means, whose children are whose, and who listens on a port.

The one module that knows psutil, which is loaded when a port or a unit is looked into.
"""

import contextlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from devloop_tools.rpc.process_starts import start_of

MAX_COMMAND = 120
END_ALL_S = 5.0
_TURN_S = 0.02


@dataclass(frozen=True, slots=True)
class Process:
    """A process for good: the system gives its pid to others later, its start never."""

    pid: int
    started: str

    @property
    def lives(self) -> bool:
        return process(self.pid) == self


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens on a port; `pid` is None where the system doesn't tell us."""

    pid: int | None
    command: str

    def __str__(self) -> str:
        return f"pid {self.pid} ({self.command})" if self.pid else "a process of another user"


def process(pid: int) -> Process | None:
    """The living process that `pid` means, or None."""
    start = start_of(pid)
    return Process(pid, start.started) if start else None


def tree(pid: int) -> frozenset[int]:
    """`pid` and every process below it, while it lives."""
    import psutil

    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return frozenset()
    return frozenset({pid, *(child.pid for child in below)})


def listeners(port: int) -> Sequence[Listener]:
    """Who listens on `port`, on whatever address; none also where the system won't tell."""
    import psutil

    try:
        connections = psutil.net_connections("tcp")
    except psutil.Error:
        return []
    pids = {found.pid for found in connections if _is_listening(found, port)}
    return [Listener(pid, _command(pid)) for pid in sorted(pids, key=lambda pid: pid or 0)]


def listens(pids: Collection[int], port: int) -> bool | None:
    """Whether one of `pids` listens on `port`; None where the system won't tell."""
    import psutil

    hidden = False
    for pid in pids:
        try:
            found = psutil.Process(pid).net_connections("tcp")
        except psutil.AccessDenied:
            hidden = True
        except psutil.Error:
            continue
        else:
            if any(_is_listening(connection, port) for connection in found):
                return True
    return None if hidden else False


def all_with(variable: str, values: Collection[str]) -> list[Process]:
    """Every living process that was started with `variable` as one of `values`.

    Those of other users, and those that were started without their parent's environment, aren't
    seen.
    """
    return [found for one in _carriers(variable, values) if (found := process(one.pid))]


def end_all_with(variable: str, values: Collection[str]) -> int:
    """KILL every process that `all_with` finds, until none is found or `END_ALL_S` are over.

    Returns how many were found. A pid that has become another process's is left alone.
    """
    import psutil

    deadline = time.monotonic() + END_ALL_S
    seen: set[int] = set()
    while (found := list(_carriers(variable, values))) and time.monotonic() < deadline:
        for one in found:
            seen.add(one.pid)
            with contextlib.suppress(psutil.Error):
                one.kill()
        time.sleep(_TURN_S)
    return len(seen)


def _carriers(variable: str, values: Collection[str]) -> Iterator[Any]:
    import psutil

    for one in psutil.process_iter() if values else ():
        with contextlib.suppress(psutil.Error):
            if one.environ().get(variable) in values:
                yield one


def _is_listening(connection: Any, port: int) -> bool:
    return bool(connection.status == "LISTEN" and connection.laddr.port == port)


def _command(pid: int | None) -> str:
    import psutil

    if pid is None:
        return ""
    try:
        words: list[str] = psutil.Process(pid).cmdline()
    except psutil.Error:
        return "its command is hidden"
    text = " ".join(words).encode("utf-8", "replace").decode()
    return text if len(text) <= MAX_COMMAND else text[:MAX_COMMAND] + "…"
