"""The units that this server process has started: the other end of each keeper's socket.

While the process lives the sockets are open; when it dies, however it does, they close, and the
keepers end their units. Lives as long as the process; see `keeper` for the other side. Every
server imports this module, most never use it: it needs the standard library alone.
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.running.processes import Process, end_all_with, process
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.folders import open_folder

GRACE_S = 3.0
"""What a unit has between TERM and KILL."""

MARKER = "DEVLOOP_UNIT_RUN"
"""The variable by which a unit's processes are known, should nobody be left who keeps them."""

RECORDS = (".devloop", "units")
"""Where keepers write their records."""

START_TIMEOUT_S = 20.0
_KEEPER = Path(__file__).with_name("keeper.py")


@dataclass(frozen=True, slots=True)
class Launch:
    """How a unit is started. `env` is all that it gets, but for the run's marker."""

    unit_id: str
    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str] = field(repr=False)
    port: int | None
    ready: Mapping[str, str | None] | None
    detach: bool


@dataclass(slots=True)
class Kept:
    """One keeper of ours. `said` fires with its first line, `over` when the unit has ended."""

    launch: Launch
    marker: str
    keeper: Process
    control: socket.socket
    said: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    pid: int | None = None
    failure: str | None = None


Ended = Callable[[Launch, int | None, bool], None]
"""Called with the exit code (None: unknown) and whether the end was asked for."""


class LiveUnits:
    """Starts keepers and hears of their units' ends. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[str, Kept] = {}

    def of(self, unit_id: str) -> Kept | None:
        """The unit's last run, if this process started it."""
        with self._guard:
            return self._kept.get(unit_id)

    def start(self, root: Path, agent: str, launch: Launch, on_end: Ended) -> Kept:
        """Start a unit; returns when it runs or is known to have failed. Raises OSError."""
        with contextlib.ExitStack() as held:

            def opened(names: Sequence[str], *, create: bool) -> int:
                return held.enter_context(open_folder(root, names, agent=agent, create=create))

            folders = (
                opened(launch.cwd.split("/"), create=False),
                opened(("units", launch.unit_id, "logs"), create=True),
                opened(RECORDS, create=True),
            )
            ours, theirs = socket.socketpair()
            with theirs:
                child = _keeper(theirs.fileno(), folders)
        keeper = process(child.pid)
        kept = Kept(launch, secrets.token_hex(16), keeper or Process(child.pid, ""), ours)
        with self._guard:
            self._kept[launch.unit_id] = kept
        threading.Thread(
            target=_watch, args=(child, kept, on_end), name="unit", daemon=True
        ).start()
        with contextlib.suppress(OSError):
            ours.sendall(_order(kept))
        if not kept.said.wait(START_TIMEOUT_S):
            kept.failure = f"its keeper has said nothing for {START_TIMEOUT_S:g} s"
            child.terminate()
        return kept

    def close(self) -> None:
        """Do what the death of the process does: all units that aren't detached end."""
        with self._guard:
            kept = list(self._kept.values())
        for one in kept:
            with contextlib.suppress(OSError):
                one.control.shutdown(socket.SHUT_WR)


def _keeper(control: int, folders: Sequence[int]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        # -I -S: whatever lies in the folder or the environment, the keeper is ours alone.
        [sys.executable, "-I", "-S", "-X", "utf8", str(_KEEPER), *map(str, (control, *folders))],
        env={},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(control, *folders),
        start_new_session=True,
    )


def _order(kept: Kept) -> bytes:
    launch, keeper = kept.launch, kept.keeper
    owner = process(os.getpid())
    assert owner is not None
    record = {
        "unit_id": launch.unit_id,
        "argv": list(launch.argv),
        "cwd": launch.cwd,
        "env_names": sorted(launch.env),
        "port": launch.port,
        "ready": dict(launch.ready) if launch.ready else None,
        "detach": launch.detach,
        "started_at": timestamp(),
        "marker": kept.marker,
        "keeper": {"pid": keeper.pid, "started": keeper.started},
        "owner": {"pid": owner.pid, "started": owner.started},
    }
    order = {
        "unit_id": launch.unit_id,
        "argv": list(launch.argv),
        "env": {**launch.env, MARKER: kept.marker},
        "detach": launch.detach,
        "grace_s": GRACE_S,
        "record": record,
    }
    return json.dumps(order).encode() + b"\n"


def _watch(child: "subprocess.Popen[bytes]", kept: Kept, on_end: Ended) -> None:
    ended: dict[str, Any] | None = None
    unit: Process | None = None
    with kept.control as ours, ours.makefile("rb") as lines:
        for line in _lines_of(lines):
            message = json.loads(line)
            match message["is"]:
                case "started":
                    kept.pid = message["pid"]
                    unit = process(message["pid"])
                case "failed":
                    kept.failure = message["reason"]
                case _:
                    ended = message
            kept.said.set()
    child.wait()
    if kept.pid is None:
        kept.failure = kept.failure or "its keeper ended before it started the unit"
    if ended is None:
        _end_orphans(unit, kept.marker)
    if kept.pid is not None:
        with contextlib.suppress(StorageError):
            # Whoever waits for the end must hear of it, whatever becomes of the event.
            code, asked = (ended["exit_code"], ended["asked"]) if ended else (None, False)
            on_end(kept.launch, code, asked)
    kept.said.set()
    kept.over.set()


def _lines_of(lines: Any) -> Any:
    # A keeper that was killed resets the connection.
    with contextlib.suppress(OSError):
        yield from lines


def _end_orphans(unit: Process | None, marker: str) -> None:
    """A keeper was killed, on Linux both its processes: its unit may not outlive it."""
    if unit is not None and unit.lives:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(unit.pid, signal.SIGKILL)
    end_all_with(MARKER, {marker})
