"""One real server as a child process, driven over its own pipes as a client does.

Everything that comes back is kept with its time, so that tests can judge order and delay. Each
wait has a bound; the child is ended by its pid when the block ends.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "tools.d"
PATIENCE_S = 20.0
PROTOCOL = "2025-06-18"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of stdout: its bytes without the LF, when it came, and what it holds."""

    raw: bytes
    at: float
    message: dict[str, Any] | None
    fault: str = ""

    @property
    def is_reply(self) -> bool:
        return self.message is not None and "id" in self.message and "method" not in self.message


@dataclass(frozen=True, slots=True)
class Ended:
    """How the process ended. A signal that killed it is its number, negative."""

    code: int
    at: float
    cpu_s: float


def command(
    project: Path, *, agent: str = "pm", tools_dir: Path = FIXTURES, more: Sequence[str] = ()
) -> list[str]:
    """The installed server for `project`, with the fixture tools."""
    script = Path(sys.executable).with_name("devloop-tools")
    flags = ["--agent", agent, "--project-dir", str(project), "--tools-dir", str(tools_dir)]
    return [str(script), "serve", *flags, *more]


def clean_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what a surrounding Claude session put there.

    Nor is the server measured: under coverage it ends late, and at times by a fault of the tracer.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLAUDE", "ANTHROPIC", "COV_CORE", "COVERAGE_"))
    }
    return {**kept, **(more or {})}


class Server:
    """Started at once.

    `drain_stderr=False` is a client that never reads stderr, `read_stdout=False` one that reads
    no reply before `start_reading`.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        drain_stderr: bool = True,
        read_stdout: bool = True,
        over_sockets: bool = False,
    ) -> None:
        self.started_at = time.monotonic()
        self._changed = threading.Condition()
        self._lines: list[Line] = []
        self._rest = b""
        self._stderr = bytearray()
        self._ended: Ended | None = None
        self._open_readers = 0
        self._wake_r, self._wake_w = os.pipe()
        self._stdin, theirs_in = _duplex() if over_sockets else _pipe_to_child()
        self._stdout, theirs_out = _duplex() if over_sockets else _pipe_from_child()
        self._stderr_fd, theirs_err = _pipe_from_child()
        try:
            self._child = subprocess.Popen(
                words, stdin=theirs_in, stdout=theirs_out, stderr=theirs_err,
                env=clean_environment(env), start_new_session=True,
            )  # fmt: skip
        finally:
            for fd in (theirs_in, theirs_out, theirs_err):
                os.close(fd)
        self.pid = self._child.pid
        self._threads: list[threading.Thread] = []
        self._start(self._watch)
        if read_stdout:
            self.start_reading()
        if drain_stderr:
            self._start_reader(self._stderr_fd, self._stderr.extend)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.close_stdin()
        self.close_stdout()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for fd in (self._stdout, self._stderr_fd, self._wake_r, self._wake_w):
            with contextlib.suppress(OSError):
                os.close(fd)

    # What the client does

    def send_bytes(self, data: bytes) -> None:
        """Write, blocking; a server that has gone away is no error here."""
        view = memoryview(data)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while view and self._stdin >= 0:
                view = view[os.write(self._stdin, view) :]

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message as a line."""
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        self.send_bytes(text.encode() + b"\n")

    def request(self, request_id: int | str, method: str, params: Any = None) -> None:
        """Send a request and wait for nothing."""
        body = {} if params is None else {"params": params}
        self.send({"id": request_id, "method": method, **body})

    def call(self, request_id: int | str, tool: str, **arguments: Any) -> None:
        """Send a tools/call and wait for nothing."""
        self.request(request_id, "tools/call", {"name": tool, "arguments": arguments})

    def shake_hands(self, version: str = PROTOCOL) -> dict[str, Any]:
        """initialize, its answer, initialized."""
        client = {"name": "tests", "version": "0"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        self.request("init", "initialize", params)
        answer = self.reply("init")
        self.send({"method": "notifications/initialized"})
        return answer

    def close_stdin(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def start_reading(self) -> None:
        """Read stdout from here on, in a thread."""
        self._start_reader(self._stdout, self._take_stdout, self._wake_r)

    def close_stdout(self) -> None:
        """Stop reading and close our end, as a client that dies does."""
        os.write(self._wake_w, b"x")

    def signal(self, number: signal.Signals) -> None:
        """Signal the child and no other process."""
        if self._ended is None:
            # Popen.send_signal would reap the child, which is the watching thread's business.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the child if it still lives, and wait for that."""
        self.signal(signal.SIGKILL)
        self.wait_ended(PATIENCE_S)

    # What the client sees

    @property
    def lines(self) -> list[Line]:
        """Every line so far, in order."""
        with self._changed:
            return list(self._lines)

    @property
    def rest(self) -> bytes:
        """What came after the last LF."""
        return self._rest

    @property
    def ended(self) -> Ended | None:
        return self._ended

    @property
    def stderr(self) -> str:
        """What was read of stderr so far."""
        return bytes(self._stderr).decode("utf-8", "replace")

    def read_undrained_stderr(self) -> None:
        """Take what still lies in the pipe of a client that never read; after the end only."""
        os.set_blocking(self._stderr_fd, False)
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._stderr_fd, 65536):
                self._stderr += chunk

    def wait_until(self, condition: Callable[[], bool], within_s: float) -> bool:
        """Wait for something to become true of what was seen."""
        with self._changed:
            return self._changed.wait_for(condition, max(0.0, within_s))

    def replies_to(self, request_id: Any) -> list[Line]:
        """Every reply with exactly this id: 1 is neither "1" nor true nor 1.0."""
        return [
            line for line in self._lines if line.is_reply and same(_id(line.message), request_id)
        ]

    def reply(self, request_id: int | str, within_s: float = PATIENCE_S) -> dict[str, Any]:
        """The reply with this id. Raises AssertionError if none comes in time."""
        if not self.wait_until(lambda: bool(self.replies_to(request_id)), within_s):
            seen = [line.raw[:200] for line in self.lines[-5:]]
            raise AssertionError(
                f"no reply to {request_id!r} in {within_s:g} s; ended: {self._ended}; "
                f"last lines: {seen}; stderr: {self.stderr[-2000:]}"
            )
        message = self.replies_to(request_id)[0].message
        assert message is not None
        return message

    def wait_ended(self, within_s: float) -> Ended | None:
        """How it ended, with all that it wrote read; None if it lives on."""
        self.wait_until(lambda: self._ended is not None, within_s)
        if self._ended is not None:
            # A child that it left may hold the pipes open: that is not waited for.
            self.wait_until(lambda: self._open_readers == 0, 1.0)
        return self._ended

    # Threads

    def _start(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _start_reader(
        self, fd: int, take: Callable[[bytes], None], wake: int | None = None
    ) -> None:
        self._open_readers += 1
        self._start(self._read, fd, take, wake)

    def _read(self, fd: int, take: Callable[[bytes], None], wake: int | None) -> None:
        watched = [fd] if wake is None else [fd, wake]
        while True:
            ready = select.select(watched, [], [])[0]
            if fd in ready:
                if not (chunk := _read_some(fd)):
                    break
                with self._changed:
                    take(chunk)
                    self._changed.notify_all()
            if wake in ready:
                break
        if wake is not None:
            self._stdout = -1
            os.close(fd)
        with self._changed:
            self._open_readers -= 1
            self._changed.notify_all()

    def _take_stdout(self, chunk: bytes) -> None:
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        now = time.monotonic()
        self._lines += [_line(raw, now) for raw in whole]

    def _watch(self) -> None:
        _, status, usage = os.wait4(self.pid, 0)
        ended = Ended(
            os.waitstatus_to_exitcode(status), time.monotonic(), usage.ru_utime + usage.ru_stime
        )
        self._child.returncode = ended.code
        with self._changed:
            self._ended = ended
            self._changed.notify_all()


def same(left: Any, right: Any) -> bool:
    """Equal as JSON texts are: 1, 1.0, true and "1" are four values."""
    return type(left) is type(right) and bool(left == right)


def strict_json(text: str) -> Any:
    """`text` as RFC 8259 has it: NaN and Infinity are refused. Raises ValueError."""
    return json.loads(text, parse_constant=_refuse_constant)


@contextlib.contextmanager
def serving(project: Path, **how: Any) -> Iterator[Server]:
    """A server for `project`, hands shaken."""
    with Server(command(project), **how) as server:
        server.shake_hands()
        yield server


def _line(raw: bytes, at: float) -> Line:
    try:
        message = strict_json(raw.decode("utf-8"))
    except ValueError as exc:
        return Line(raw, at, None, f"not strict JSON in UTF-8 ({exc})")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return Line(raw, at, None, "not one JSON-RPC object")
    if not {"method", "result", "error"} & message.keys():
        return Line(raw, at, None, "neither a request nor a reply")
    return Line(raw, at, message)


def _id(message: dict[str, Any] | None) -> Any:
    return None if message is None else message.get("id")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _pipe_to_child() -> tuple[int, int]:
    theirs, ours = os.pipe()
    return ours, theirs


def _pipe_from_child() -> tuple[int, int]:
    return os.pipe()


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 20)
    except OSError:
        # A socket whose other end died with data unread says so; a pipe just ends.
        return b""


def _duplex() -> tuple[int, int]:
    """Two ends of a socket pair, which is what node gives its children for stdio."""
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()
