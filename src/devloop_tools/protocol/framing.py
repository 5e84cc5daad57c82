"""Cuts a byte stream into lines on 0x0A alone (MCP, transports, stdio)."""

from collections import deque

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is dropped and reported; nothing that a client sends honestly comes near."""

MARK = b"\xef\xbb\xbf"
"""A byte order mark, which a parser may ignore before a text (RFC 8259, section 8.1)."""


class LineFramer:
    """Feed it bytes, take lines out. Holds at most `max_line` bytes of an unfinished line.

    A byte order mark is left out where the stream begins, unless it has `begun` before.
    """

    def __init__(self, max_line: int = MAX_LINE_BYTES, *, begun: bool = False) -> None:
        self._max_line = max_line
        self._begun = begun
        self._lines: deque[bytes] = deque()
        self._held = bytearray()
        self._overlong = False

    def feed(self, chunk: bytes) -> None:
        """Take in bytes as they came; they may end anywhere."""
        first, *rest = chunk.split(b"\n")
        self._hold(first)
        for part in rest:
            self._finish()
            self._hold(part)

    def finish(self) -> None:
        """The stream has ended: what is held counts as a last line."""
        self._finish()

    def take(self) -> bytes | None:
        """The next line without its LF, or None. An overlong line comes out as `b"\\x00"`."""
        return self._lines.popleft() if self._lines else None

    def _hold(self, part: bytes) -> None:
        if len(self._held) + len(part) > self._max_line:
            self._overlong = True
            self._held.clear()
        elif not self._overlong:
            self._held += part

    def _finish(self) -> None:
        line = b"\x00" if self._overlong else bytes(self._held)
        self._held.clear()
        self._overlong = False
        if not self._begun:
            self._begun = True
            line = line.removeprefix(MARK)
        if line.strip():
            self._lines.append(line)
