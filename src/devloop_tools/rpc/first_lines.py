"""Answers the first lines of a connection before anything heavy is imported.

Standard library alone. A line that `answer` can't take goes on, with all bytes after it, to the
connection; so does everything after `initialize`, whose answer is the sign to load the rest.
"""

import json
import os
import select
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

Answer = Callable[[str, dict[str, Any]], dict[str, Any] | None]
"""Method and params to the reply's `result` or `error` member, or None for "not mine"."""

_STDIN = 0
_STDOUT = 1
_CHUNK = 1 << 16
_LONGEST = 1 << 18
"""A longer line is no greeting; the connection gathers it without searching it again and again."""

_OPENING = "initialize"
_SILENT = frozenset({"notifications/initialized"})


@dataclass(slots=True)
class FirstLines:
    """What happened before the connection: the calls that were answered, and what is left over."""

    answered: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    rest: bytes = b""
    ended: bool = False


def answer_first_lines(
    answer: Answer, read_fd: int = _STDIN, write_fd: int = _STDOUT
) -> FirstLines:
    """Read and answer until a line has to go on, or the input ends or the peer is gone."""
    lines = FirstLines()
    while True:
        line, separator, after = lines.rest.partition(b"\n")
        if not separator:
            if len(line) > _LONGEST or not _read(read_fd, lines):
                return lines
        elif not line.strip():
            lines.rest = after
        elif (reply := _reply(line, answer, lines)) is not None:
            lines.rest = after
            if not _write(write_fd, reply):
                return FirstLines(ended=True)
            if lines.answered and lines.answered[-1][0] == _OPENING:
                return lines
        else:
            return lines


def _read(fd: int, lines: FirstLines) -> bool:
    """Take in what there is. False at the end, and where only polling can tell when there is."""
    try:
        chunk = os.read(fd, _CHUNK)
    except BlockingIOError:
        return False
    except OSError:
        chunk = b""
    lines.rest += chunk
    lines.ended = not chunk
    return bool(chunk)


def _reply(line: bytes, answer: Answer, lines: FirstLines) -> bytes | None:
    """The line that answers `line`, empty for one that needs no answer; None: it has to go on."""
    try:
        message = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    match message:
        case {"jsonrpc": "2.0", "method": str(method), **others} if "id" not in others:
            return b"" if method in _SILENT else None
        case {"jsonrpc": "2.0", "method": str(method), "id": int() | str() as request_id, **others}:
            params = {} if others.get("params") is None else others["params"]
            if isinstance(request_id, bool) or not isinstance(params, dict):
                return None
            body = answer(method, params)
            if body is None or not -(2**63) <= _size(request_id) < 2**64:
                return None
            if "result" in body:
                lines.answered.append((method, params))
            reply = {"jsonrpc": "2.0", "id": request_id, **body}
            return (json.dumps(reply, separators=(",", ":")) + "\n").encode()
        case _:
            return None


def _size(request_id: int | str) -> int:
    return request_id if isinstance(request_id, int) else 0


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _write(fd: int, data: bytes) -> bool:
    """Write all of it. False: nobody reads any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [])
        except OSError:
            return False
    return True
