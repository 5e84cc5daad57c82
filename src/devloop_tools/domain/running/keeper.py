"""The process between a server and one unit: starts it, bounds its logs, ends all of it.

It ends the unit with everything below it when it is told to or when the server is gone. It is a
program by itself, on the standard library alone, run with `-I -S` so that it starts at once:
`keeper.py CONTROL UNIT LOGS STATE` are descriptors of a socket to the server, of the folder the
unit runs in, of its folder of logs and of `.devloop/units`. The first line on the socket is the
order (`live_units`); what happens goes back as lines of JSON and into the record `{unit_id}.json`.
The end of the socket is the end of the server, however it died; a detached unit outlives it.
SIGTERM ends the unit, also from other processes.

On Linux the keeper is two processes, of which each ends the unit should the other be killed: the
first one waits for its child, which does the work. Both are subreapers of all that the unit starts,
so that what left its group is still found. Elsewhere the keeper is one process, which follows the
parents' ids while they live.
"""

import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

MAX_LOG_BYTES = 4 * 1024 * 1024
"""A log of this size becomes `{name}.1`, in place of the one before: twice this is kept."""

MARK_EVERY_MS = 1000
MAX_MARKS = 240
"""Marks tell when which byte came, for at most so many moments; then every other one goes."""

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36
_STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_CHUNK = 1 << 16
_TURN_S, _SHORT_TURN_S = 0.2, 0.02
_PATIENCE_S = 10.0
_LINUX = sys.platform == "linux"


class Log:
    """One stream of the unit, in a file of bounded size."""

    def __init__(self, folder: int, name: str) -> None:
        self._folder, self._name = folder, f"{name}.log"
        self._fd = self._opened()
        self._size = 0
        self.total = 0
        self.first = 0
        self._before = 0
        self.marks: list[tuple[int, int]] = []

    def write(self, chunk: bytes) -> bool:
        """Keep `chunk`; a full disk loses it and stops nobody. True where the record changed."""
        now = int(time.time() * 1000)
        marked = not self.marks or now - self.marks[-1][0] >= MARK_EVERY_MS
        if marked:
            self.marks = self.marks[::2] if len(self.marks) >= MAX_MARKS else self.marks
            self.marks.append((now, self.total))
        turned = self._size + len(chunk) > MAX_LOG_BYTES and self._turn()
        with contextlib.suppress(OSError):
            _write_all(self._fd, chunk)
            self._size += len(chunk)
        self.total += len(chunk)
        return marked or turned

    def as_object(self) -> dict[str, Any]:
        """`first` is the offset of the oldest byte that is kept."""
        return {"total": self.total, "first": self.first, "marks": self.marks}

    def _turn(self) -> bool:
        older = f"{self._name}.1"
        with contextlib.suppress(OSError):
            os.rename(self._name, older, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            os.close(self._fd)
            self._fd = self._opened()
            self.first, self._before, self._size = self._before, self.total, 0
            return True
        return False

    def _opened(self) -> int:
        # A new file in place of whatever stands there: a link put there leads nowhere.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW
        return os.open(self._name, flags, 0o644, dir_fd=self._folder)


class Keeper:
    """One unit from start to end."""

    def __init__(self, control: int, folder: int, logs: int, state: int) -> None:
        self._control = control
        self._folder, self._state = folder, state
        self._order: dict[str, Any] = json.loads(_line(control))
        self._grace_s: float = self._order["grace_s"]
        self._stopping_since: float | None = None
        self._terminated = False
        self._logs = {name: Log(logs, name) for name in ("stdout", "stderr")}
        for name in ("stdout.log.1", "stderr.log.1"):
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=logs)
        self._record: dict[str, Any] = {
            **self._order["record"], "state": "running", "exit_code": None, "asked": False,
        }  # fmt: skip

    def run(self) -> None:
        """Start, keep, end. Returns when nothing of the unit is left."""
        wake, woken = os.pipe()
        for fd in (wake, woken):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        for number in _STOPPING:
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        try:
            unit = self._started()
        except (OSError, ValueError, subprocess.SubprocessError) as exc:
            self._record |= {"state": "failed", "reason": _why(exc)}
            self._save()
            self._tell("failed", reason=_why(exc))
            return
        self._record |= {"pid": unit.pid}
        self._save()
        self._tell("started", pid=unit.pid)
        self._keep(unit, wake)
        code = unit.returncode
        self._record |= {"state": "ended", "exit_code": code, "ended_at": _now()}
        self._save()
        self._tell("ended", exit_code=code, asked=self._record["asked"])

    def _started(self) -> "subprocess.Popen[bytes]":
        os.fchdir(self._folder)
        return subprocess.Popen(
            self._order["argv"],
            env=self._order["env"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_die_with_keeper if _LINUX else None,
        )

    def _keep(self, unit: "subprocess.Popen[bytes]", wake: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(wake, selectors.EVENT_READ, None)
            for name, pipe in (("stdout", unit.stdout), ("stderr", unit.stderr)):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe.fileno(), selectors.EVENT_READ, self._logs[name])
            selector.register(self._control, selectors.EVENT_READ, "control")
            while unit.returncode is None:
                self._turn(selector)
                _reap(unit)
                if self._stopping_since is not None and unit.returncode is None:
                    self._press(unit.pid, self._stopping_since)
            # The first process is gone; what it left below goes too.
            self._end_rest(unit, selector)
            self._read_rest(selector)

    def _turn(self, selector: selectors.BaseSelector) -> None:
        changed = False
        for key, _ in selector.select(_TURN_S if self._stopping_since is None else _SHORT_TURN_S):
            if isinstance(key.data, Log):
                chunk = _read(key.fd)
                if chunk == b"":
                    selector.unregister(key.fd)
                if chunk and key.data.write(chunk):
                    changed = True
            elif key.data == "control":
                self._hear(selector, key.fd)
            else:
                _read(key.fd)
        if changed:
            self._save()

    def _hear(self, selector: selectors.BaseSelector, control: int) -> None:
        try:
            heard = os.read(control, _CHUNK)
        except OSError:
            heard = b""
        if heard:
            return
        selector.unregister(control)
        if not self._order["detach"]:
            self._stop()

    def _on_signal(self, *_: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._stopping_since is None:
            self._stopping_since = time.monotonic()

    def _press(self, first: int, since: float) -> None:
        """TERM to everything once, KILL when the grace is over."""
        if time.monotonic() - since > self._grace_s:
            _signal_all(_left_of(first), signal.SIGKILL)
        elif not self._terminated:
            self._terminated = True
            _signal_all(_left_of(first), signal.SIGTERM)

    def _end_rest(self, unit: "subprocess.Popen[bytes]", selector: selectors.BaseSelector) -> None:
        asked = self._stopping_since is not None
        since = self._stopping_since = self._stopping_since or time.monotonic()
        while _left_of(unit.pid) and time.monotonic() - since < self._grace_s + _PATIENCE_S:
            self._press(unit.pid, since)
            self._turn(selector)
            _reap(unit)
        self._record["asked"] = asked

    def _read_rest(self, selector: selectors.BaseSelector) -> None:
        for key in list(selector.get_map().values()):
            while isinstance(key.data, Log) and (chunk := _read(key.fd)):
                key.data.write(chunk)

    def _save(self) -> None:
        """The record, whole or as it was: readers may come at any time."""
        self._record["logs"] = {name: log.as_object() for name, log in self._logs.items()}
        name = f"{self._order['unit_id']}.json"
        text = json.dumps(self._record, ensure_ascii=False).encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):
            fd = os.open(
                f".{name}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._state
            )
            try:
                _write_all(fd, text)
            finally:
                os.close(fd)
            os.rename(f".{name}.new", name, src_dir_fd=self._state, dst_dir_fd=self._state)

    def _tell(self, what: str, **facts: Any) -> None:
        with contextlib.suppress(OSError):
            _write_all(self._control, json.dumps({"is": what, **facts}).encode() + b"\n")


def main(descriptors: list[str]) -> None:
    """Keep one unit."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    fds = list(map(int, descriptors))
    for fd in fds:
        os.set_inheritable(fd, False)
    if _LINUX and (worker := _worker()):
        for fd in fds:
            os.close(fd)
        _stand_by(worker)
    else:
        Keeper(*fds).run()


def _worker() -> int:
    """The pid of the child that does the work; 0 in that child."""
    first = os.getpid()
    _prctl(_SET_CHILD_SUBREAPER, 1)
    if worker := os.fork():
        return worker
    _prctl(_SET_CHILD_SUBREAPER, 1)
    _prctl(_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != first:
        sys.exit(1)
    return 0


def _stand_by(worker: int) -> None:
    """Pass on what the worker is told, until it ends; then end what it may have left."""
    for number in _STOPPING:
        signal.signal(number, lambda *_: os.kill(worker, signal.SIGTERM))
    # Not reaped before nothing more is passed on: until then its pid is nobody else's.
    os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)
    deadline = time.monotonic() + _PATIENCE_S
    while (left := _left_of(worker)) and time.monotonic() < deadline:
        _signal_all(left, signal.SIGKILL)
        time.sleep(_SHORT_TURN_S)
        _reap(None)


def _die_with_keeper() -> None:
    # Should the worker itself be killed, its first child is too.
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _left_of(first: int) -> set[int]:
    """Living processes below this one, and those of the unit's session and group."""
    parents: dict[int, int] = {}
    left = set()
    for pid, parent, group, state in _processes():
        if state.startswith("Z"):
            continue
        parents[pid] = parent
        if group == first:
            left.add(pid)
    for pid in parents:
        if any(above in (os.getpid(), first) for above in _above(pid, parents)):
            left.add(pid)
    return left - {os.getpid()}


def _above(pid: int, parents: dict[int, int]) -> Iterator[int]:
    seen = {pid}
    while (pid := parents.get(pid, 0)) and pid not in seen:
        seen.add(pid)
        yield pid


def _processes() -> Iterator[tuple[int, int, int, str]]:
    """Pid, parent, group and state of every process that is seen."""
    if not _LINUX:
        yield from _processes_by_ps()
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                yield int(name), int(fields[1]), int(fields[2]), fields[0].decode()


def _processes_by_ps() -> Iterator[tuple[int, int, int, str]]:
    words = ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,stat="]
    listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        pid, parent, group, state = line.split(maxsplit=3)
        yield int(pid), int(parent), int(group), state


def _reap(unit: "subprocess.Popen[bytes] | None") -> None:
    """Take leave of whoever ended; the unit's first process leaves its code."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            if unit is not None and pid == unit.pid:
                unit.returncode = os.waitstatus_to_exitcode(status)


def _line(fd: int) -> bytes:
    held = b""
    while not held.endswith(b"\n"):
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            sys.exit(1)
        held += chunk
    return held


def _read(fd: int) -> bytes | None:
    """What there is; b"" at the end, None where there is nothing at the moment."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _write_all(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def _why(exc: Exception) -> str:
    return (exc.strerror or str(exc)) if isinstance(exc, OSError) else str(exc)


def _now() -> str:
    seconds, milliseconds = divmod(int(time.time() * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03}Z"


if __name__ == "__main__":
    main(sys.argv[1:])
