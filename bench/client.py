"""The client of the benchmark: raw pipes, nothing between the clock and the server."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

PROTOCOL = "2025-06-18"
TIMEOUT_S = 60.0

_READ = 1 << 20


class Failed(Exception):
    """A server did not do what it was measured for; the text says what."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process used in its whole life."""

    exit_ms: float
    code: int


def environment() -> dict[str, str]:
    """Ours, with bytecode caching on, as every installed server has it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept


class Client:
    """Starts a server and speaks to it. Times are of time.perf_counter."""

    def __init__(self, words: Sequence[str], cwd: Path | None = None) -> None:
        theirs_in, self._write_fd = os.pipe()
        self._read_fd, theirs_out = os.pipe()
        self._last_id = 0
        self._rest = b""
        self.started = time.perf_counter()
        self._child = subprocess.Popen(
            words, stdin=theirs_in, stdout=theirs_out, stderr=subprocess.DEVNULL,
            env=environment(), cwd=cwd,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self.pid = self._child.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        for fd in (self._read_fd, self._write_fd):
            with contextlib.suppress(OSError):
                os.close(fd)

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[int, bytes]:
        """The id and the line of a request, not sent yet."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        return self._last_id, json.dumps(message, separators=(",", ":")).encode() + b"\n"

    def tool(self, name: str, arguments: Mapping[str, Any]) -> tuple[int, bytes]:
        """The same for a tools/call."""
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._write_fd, view) :]

    def reply(self, request_id: int) -> dict[str, Any]:
        """The result with this id. Raises Failed for an error and after a minute."""
        while True:
            message = json.loads(self._line())
            if message.get("id") == request_id and "method" not in message:
                return _result(message)

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """One tools/call, there and back."""
        request_id, line = self.tool(name, arguments)
        self.write(line)
        return self.reply(request_id)

    def initialize(self) -> float:
        """The handshake; milliseconds from the start of the process to the answer."""
        about = {"name": "bench", "version": "1"}
        request_id, line = self.request(
            "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
        )
        self.write(line)
        self.reply(request_id)
        elapsed_ms = self.since_start_ms()
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return elapsed_ms

    def since_start_ms(self) -> float:
        return (time.perf_counter() - self.started) * 1000

    def one_at_a_time(self, lines: Sequence[tuple[int, bytes]]) -> list[float]:
        """Milliseconds of each call, the next sent when the one before was answered."""
        read, write, took = os.read, os.write, []
        for request_id, line in lines:
            since = time.perf_counter()
            write(self._write_fd, line)
            answer = read(self._read_fd, _READ)
            while not answer.endswith(b"\n"):
                answer += read(self._read_fd, _READ)
            took.append((time.perf_counter() - since) * 1000)
            if json.loads(answer)["id"] != request_id:
                raise Failed("an answer to something else")
        return took

    def in_flight(self, lines: Sequence[tuple[int, bytes]], window: int) -> float:
        """Seconds for all calls with up to `window` of them in flight; every answer is checked."""
        poll = select.poll()
        poll.register(self._read_fd, select.POLLIN)
        parts: list[bytes] = []
        sent = seen = 0
        since = time.perf_counter()
        while seen < len(lines):
            if room := min(window - (sent - seen), len(lines) - sent):
                self.write(b"".join(line for _, line in lines[sent : sent + room]))
                sent += room
            if not poll.poll(TIMEOUT_S * 1000):
                raise Failed(f"stuck with {sent - seen} calls in flight")
            parts.append(os.read(self._read_fd, _READ))
            if not parts[-1]:
                raise Failed("the server has gone")
            seen += parts[-1].count(b"\n")
        elapsed_s = time.perf_counter() - since
        answers = [json.loads(line) for line in b"".join(parts).split(b"\n")[:-1]]
        results = {answer["id"]: _result(answer) for answer in answers if "id" in answer}
        if results.keys() != {request_id for request_id, _ in lines}:
            raise Failed("answers are missing")
        return elapsed_s

    def end_input(self) -> Spent:
        """Close stdin and wait for the end of the process."""
        waiter = os.pidfd_open(self.pid)
        since = time.perf_counter()
        os.close(self._write_fd)
        ended = bool(select.select([waiter], [], [], 10)[0])
        exit_ms = (time.perf_counter() - since) * 1000
        os.close(waiter)
        if not ended:
            self._child.send_signal(signal.SIGKILL)
        return Spent(exit_ms, self._child.wait())

    def rss_mb(self) -> float:
        """Resident memory of the process now."""
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        raise Failed("the system does not tell its memory")

    def cpu_ms(self) -> float:
        """Processor time of the process so far."""
        with open(f"/proc/{self.pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def _line(self) -> bytes:
        while b"\n" not in self._rest:
            if not select.select([self._read_fd], [], [], TIMEOUT_S)[0]:
                raise Failed(f"no answer in {TIMEOUT_S:g} s")
            chunk = os.read(self._read_fd, _READ)
            if not chunk:
                raise Failed("the server has gone")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _result(message: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = message.get("result", {})
    if "error" in message or result.get("isError"):
        raise Failed(f"an error: {json.dumps(message)[:200]}")
    return result
