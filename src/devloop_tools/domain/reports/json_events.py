"""JSON as it arrives, piece by piece: in bounded memory, and up to where it breaks off."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

MAX_DEPTH = 200
LONGEST_PIECE = 64 * 1024
"""Characters of a piece; one that lies inside a string is cut to its ends."""

_SHORTEST_CUT = 1024
_NEAR = 128
_LONGEST_ESCAPE = len("\\u4e2d")
_SIGNS = re.compile(r"(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u]){1,16}", re.DOTALL)
_ESCAPE = re.compile(r"(?<!\\)\\")

Event = tuple[str, Any]

LEVELS = MappingProxyType({"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1})
"""By how many levels an event leads deeper."""


class JsonBroken(Exception):
    """The text is no JSON from here on, or ended inside of it."""


def new_builder() -> Any:
    """What makes a value of events: `event(name, value)`, and then `value`."""
    from ijson.common import ObjectBuilder

    return ObjectBuilder()


class JsonEvents:
    """ijson's basic events of one value; what follows the value is not looked at."""

    def __init__(self) -> None:
        import ijson

        self._incomplete: type[Exception] = ijson.JSONError
        self._events: Any = ijson.sendable_list()
        self._parser = ijson.basic_parse_coro(self._events, use_float=True)
        self._depth = 0
        self._quiet = self._escaped = False
        self.ended = False

    def feed(self, text: str) -> Iterator[Event]:
        """The events that `text` completes. Raises JsonBroken after the last whole one."""
        for start in range(0, len(text), LONGEST_PIECE):
            if self.ended:
                return
            yield from self._feed_piece(self._cut(text[start : start + LONGEST_PIECE]))

    def close(self) -> None:
        """Say that the text ends here. Raises JsonBroken if the value doesn't."""
        if not self.ended:
            raise JsonBroken("it ends early")

    def _feed_piece(self, piece: str) -> Iterator[Event]:
        fault: Exception | None = None
        try:
            self._parser.send(piece.encode("utf-8", "replace"))
        except self._incomplete as exc:
            fault = exc
        except StopIteration:
            self.ended = True
        events, self._events[:] = list(self._events), []
        for event in events:
            yield event
            if event[0] in LEVELS:
                self._depth += LEVELS[event[0]]
                if self._depth > MAX_DEPTH:
                    raise JsonBroken(f"it is nested deeper than {MAX_DEPTH} levels")
                if self._depth == 0:
                    self.ended = True
                    return
        if fault is not None:
            raise JsonBroken("it is no JSON from there on") from fault

    def _cut(self, piece: str) -> str:
        """A piece in the middle of a long string, without its middle.

        It is cut where no escape is open, so that the string still ends where it did.
        """
        start = 1 if self._escaped else 0
        free = piece[start:]
        slashes = len(free) - len(free.rstrip("\\"))
        self._escaped = slashes % 2 == 1
        if len(piece) < _SHORTEST_CUT:
            return piece
        was_quiet = self._quiet
        self._quiet = '"' not in free.replace("\\\\", "").replace('\\"', "")
        head, tail = _SIGNS.match(piece, start), _tail_of(piece, slashes)
        if not (was_quiet and self._quiet and head and tail):
            return piece
        return piece[: head.end()] + piece[tail:]


def _tail_of(piece: str, slashes: int) -> int | None:
    """Where an escape or a plain sign starts near the end of `piece`, which ends in `slashes`."""
    near = len(piece) - _NEAR
    if slashes >= _NEAR:
        return len(piece) - 2 - slashes % 2
    if match := _ESCAPE.search(piece, near):
        return match.start()
    return None if "\\" in piece[near - _LONGEST_ESCAPE :] else near
