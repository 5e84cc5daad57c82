"""Answers the first lines of a connection before anything heavy is imported.

Standard library alone, and of that only `json`: `dataclasses` and `typing` would take longer than
the answer. A line that `answer` can't take goes on, with all bytes after it, to the connection; so
does everything after `initialize`, whose answer is the sign to load the rest.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    Message = dict[str, object]
    Answer = Callable[[str, Message], Message | None]
    """Method and params to the reply's `result` or `error` member, or None for "not mine"."""

_STDIN = 0
_STDOUT = 1
_CHUNK = 1 << 16
_LONGEST = 1 << 18
"""A longer line is no greeting; the connection gathers it without searching it again and again."""

_MARK = b"\xef\xbb\xbf"
"""Some clients put a byte order mark where the stream begins (RFC 8259, section 8.1)."""

_OPENING = "initialize"
_SILENT = frozenset({"notifications/initialized"})


class FirstLines:
    """What happened before the connection: the calls that were answered, and what is left over."""

    __slots__ = ("answered", "begun", "ended", "rest")

    def __init__(self) -> None:
        self.answered: list[tuple[str, Message]] = []
        self.rest = b""
        self.begun = False
        self.ended = False

    @property
    def initialized(self) -> bool:
        """Whether `initialize` was answered."""
        return any(method == _OPENING for method, _ in self.answered)


def answer_first_lines(answer: Answer) -> FirstLines:
    """Read fd 0 and answer on fd 1 until a line has to go on, or the client has gone."""
    lines = FirstLines()
    go_on(lines, answer, _STDIN, _STDOUT, more=lambda: True)
    return lines


def go_on(
    lines: FirstLines, answer: Answer, read_fd: int, write_fd: int, more: Callable[[], bool]
) -> None:
    """The same over other descriptors. `more` says before each read whether to read on."""
    while True:
        line, separator, after = lines.rest.partition(b"\n")
        if not separator:
            if len(line) > _LONGEST or not more() or not _read(read_fd, lines):
                return
        elif not line.strip():
            lines.rest = after
        elif (method := _answer_line(line, answer, lines, write_fd)) is not None:
            lines.rest = b"" if lines.ended else after
            if method == _OPENING or lines.ended:
                return
        else:
            return


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
    if not lines.begun and len(lines.rest) >= len(_MARK):
        lines.begun = True
        lines.rest = lines.rest.removeprefix(_MARK)
    return bool(chunk)


def _answer_line(line: bytes, answer: Answer, lines: FirstLines, write_fd: int) -> str | None:
    """The method that was dealt with, or None for a line that has to go on."""
    try:
        message = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    match message:
        case {"jsonrpc": "2.0", "method": str(method), **others} if "id" not in others:
            return method if method in _SILENT else None
        case {"jsonrpc": "2.0", "method": str(method), "id": int() | str() as request_id, **others}:
            params = {} if others.get("params") is None else others["params"]
            if isinstance(request_id, bool) or not isinstance(params, dict):
                return None
            body = answer(method, params)
            if body is None or not -(2**63) <= _size(request_id) < 2**64:
                return None
            reply = {"jsonrpc": "2.0", "id": request_id, **body}
            line = (json.dumps(reply, separators=(",", ":")) + "\n").encode()
            lines.ended = not _write(write_fd, line)
            if "result" in body:
                lines.answered.append((method, params))
                return method
            return ""
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
            # Imported by nobody who doesn't need it: the first answer would wait for it.
            import select

            select.select([], [fd], [])
        except OSError:
            return False
    return True
