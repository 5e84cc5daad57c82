"""Lines of a text that arrives in pieces; one without end costs no more memory than its head."""

from collections.abc import Iterator

MAX_LINE = 16 * 1024


class Lines:
    """Joins what a piece cuts; what a line has beyond `MAX_LINE` is left out."""

    def __init__(self) -> None:
        self._open = ""

    def feed(self, text: str) -> Iterator[str]:
        """The lines that `text` completes, without their ends."""
        first, *others = text.split("\n")
        self._open += first[: MAX_LINE - len(self._open)]
        for line in others:
            yield self._open.removesuffix("\r")
            self._open = line[:MAX_LINE]

    def close(self) -> Iterator[str]:
        """The last line, if it has no end."""
        if self._open:
            yield self._open.removesuffix("\r")
        self._open = ""
