"""Plays one rpc case against a server and keeps all that was seen, for the judge."""

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cases.case import Case
from tests.processes.server import Ended, Line, Server, same

BARRIER = "the-runner-is-done"
"""The id of a last ping: what came before it had its time."""

NO_SETUP_YET = frozenset({"upstream", "policy", "approve", "deny", "upstream_notify"})
"""Set-ups that need a part the server doesn't have; without them a case says nothing."""

INPUT_KEYS = frozenset({"init", "steps", "stderr"})
STEP_KEYS = frozenset(
    {"line", "py", "loop", "lines", "delay_between_ms", "sleep", "close_stdin"}
    | {"close_stdout_reader"}
)
UNREAD_STDERR = "pipe, never drained"

_MARK = "DEVLOOP_TOOLS_CASE"
_END_S = 5.0


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that went in, with the time at which it went. `message` is None for garbage."""

    at: float
    message: Any


@dataclass(slots=True)
class Run:
    """What was sent and seen."""

    case: Case
    project: Path
    sent: list[Sent] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    rest: bytes = b""
    stderr: str = ""
    shook_hands: bool = True
    answered_last_ping: bool = True
    alive_after_steps: bool = True
    waited_from: float = 0.0
    cpu_before_wait_s: float = 0.0
    ended: Ended | None = None
    children_left: list[int] | None = None

    def replies_to(self, request_id: Any) -> list[Line]:
        """Replies with exactly this id."""
        return [line for line in self.replies if same((line.message or {}).get("id"), request_id)]

    @property
    def replies(self) -> list[Line]:
        return [line for line in self.lines if line.is_reply]

    @property
    def requests(self) -> Iterator[tuple[Any, str, Any, float]]:
        """Id, method, params and time of each request that was sent by itself."""
        for sent in self.sent:
            message = sent.message
            if isinstance(message, dict) and "id" in message and "method" in message:
                yield message["id"], message["method"], message.get("params"), sent.at


def missing_setup(case: Case) -> str | None:
    """A key of the set-up that can't be provided yet."""
    keys = set(case.input) | {key for step in case.input.get("steps", ()) for key in step}
    return min(keys & NO_SETUP_YET, default=None)


def unknown_keys(case: Case) -> list[str]:
    """Keys of the input that no handed case has."""
    steps = case.input.get("steps", ())
    unknown = set(case.input) - INPUT_KEYS | {key for step in steps for key in step} - STEP_KEYS
    if case.input.get("stderr", UNREAD_STDERR) != UNREAD_STDERR:
        unknown.add("stderr")
    return sorted(unknown)


def play(
    case: Case, words: Sequence[str], project: Path, awaited: Callable[[Run], bool], limit_s: float
) -> Run:
    """Hands, steps, then wait until `awaited` holds, at most `limit_s`; then the end of input."""
    run = Run(case, project)
    mark = uuid.uuid4().hex
    leaves_stderr = case.input.get("stderr") == UNREAD_STDERR
    with Server(words, env={_MARK: mark}, drain_stderr=not leaves_stderr) as server:
        run.shook_hands = _shake_hands(case, server)
        if run.shook_hands:
            _take_steps(case, server, run)
            _wait(server, run, awaited, limit_s)
        _end(server, run)
        if leaves_stderr and server.ended:
            server.read_undrained_stderr()
        run.lines, run.rest, run.stderr = server.lines, server.rest, server.stderr
        run.children_left = _marked(mark, besides=server.pid)
    return run


def _shake_hands(case: Case, server: Server) -> bool:
    if not case.input.get("init"):
        return True
    try:
        server.shake_hands()
    except AssertionError:
        return False
    return True


def _take_steps(case: Case, server: Server, run: Run) -> None:
    run.waited_from = time.monotonic()
    for step in case.input["steps"]:
        match step:
            case {"line": str(text)}:
                _send(server, run, text.encode() + b"\n")
            case {"py": str(expression)}:
                _send(server, run, _evaluated(expression))
            case {"loop": int(times), "lines": list(lines)}:
                _loop(server, run, times, lines, step.get("delay_between_ms", [0, 0]))
            case {"sleep": int() | float() as seconds}:
                # The case asks for the time itself, not for something to happen in it.
                server.wait_until(lambda: server.ended is not None, seconds)
            case {"close_stdin": True}:
                run.waited_from, run.cpu_before_wait_s = time.monotonic(), cpu_s(server.pid)
                server.close_stdin()
            case {"close_stdout_reader": True}:
                server.close_stdout()
            case _:
                continue


def _loop(server: Server, run: Run, times: int, lines: list[str], delay_ms: list[float]) -> None:
    shortest, longest = delay_ms
    for count in range(1, times + 1):
        for position, line in enumerate(lines):
            if position:
                # Spread over the range, so that both orders of a race are met.
                spread = (count - 1) % 10 / 9
                time.sleep((shortest + (longest - shortest) * spread) / 1000)
            text = line.replace('"$i"', str(count)).replace("$i", str(count))
            _send(server, run, text.encode() + b"\n")


def _evaluated(expression: str) -> bytes:
    value = eval(expression)
    if not isinstance(value, bytes):
        raise ValueError(f"py: {expression[:80]} gives no bytes")
    return value


def _send(server: Server, run: Run, data: bytes) -> None:
    now = time.monotonic()
    for line in data.split(b"\n"):
        if line.strip():
            run.sent.append(Sent(now, _decoded(line)))
    server.send_bytes(data)


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refused)
    except (ValueError, RecursionError):
        return None


def _refused(name: str) -> None:
    raise ValueError(name)


def _wait(server: Server, run: Run, awaited: Callable[[Run], bool], limit_s: float) -> None:
    def enough() -> bool:
        run.lines = server.lines
        return server.ended is not None or awaited(run)

    server.wait_until(enough, limit_s)
    expects_end = "exit" in run.case.expect
    if expects_end:
        exit_within = float(run.case.expect["exit"].get("within_s", _END_S))
        server.wait_ended(run.waited_from + exit_within + 1 - time.monotonic())
        return
    if server.ended is None:
        server.request(BARRIER, "ping")
        answered = server.wait_until(lambda: bool(server.replies_to(BARRIER)), limit_s)
        run.answered_last_ping = answered
    run.alive_after_steps = server.ended is None


def _end(server: Server, run: Run) -> None:
    if server.ended is None:
        if run.cpu_before_wait_s == 0.0:
            run.cpu_before_wait_s = cpu_s(server.pid)
        server.close_stdin()
    run.ended = server.wait_ended(_END_S)


def cpu_s(pid: int) -> float:
    """Processor time of a living process so far; 0 where the system doesn't tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _marked(mark: str, besides: int) -> list[int] | None:
    """Processes that inherited the mark in their environment; None where the system hides it."""
    if not os.path.isdir("/proc/self"):
        return None
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == besides:
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue
    return found
