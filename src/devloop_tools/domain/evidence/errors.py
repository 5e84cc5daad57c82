"""Lines of a log that tell of an error, those of one shape once."""

import re
from collections.abc import Iterable, Iterator, Sequence

from devloop_tools.domain.evidence.lines import Line

_MOST_SHAPES = 200
_SHOWN = 20
_LONGEST = 300

_MESSAGE = re.compile(
    r"(?:^|[\s|:\]])((?:[A-Za-z_][\w.]{0,120})?(?:Error|Exception|Failure|Warning)(?: \[\w+\])?"
    r": \S.*)"
)
_LEVEL = re.compile(
    r"\b(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE|FAIL|FAILED)\b|\"level\":\s?\"(?:error|fatal)\""
    r"|\bERR!|错误|异常"
)
HINTS = (
    "rror", "ERR", "xception", "ailure", "arning: ", "FAIL", "FATAL", "CRITICAL", "PANIC", "SEVERE",
    '"fatal"', "错误", "异常",
)  # fmt: skip
"""Of these a line holds one at least, if it tells of an error."""

_VARYING = re.compile(r"0x[0-9a-f]+|\d+|[0-9a-f]{8,}")


class ErrorLines:
    """Watches lines go by."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[Line, int]] = {}

    def watch(self, lines: Iterable[Line]) -> Iterator[Line]:
        """The same lines."""
        for line in lines:
            if _may_tell(line.text) and (_MESSAGE.search(line.text) or _LEVEL.search(line.text)):
                self._keep(line)
            yield line

    def first_lines(self) -> Sequence[tuple[Line, int]]:
        """The first line of each shape, and how many there were."""
        return list(self._first.values())[:_SHOWN]

    def messages(self) -> list[str]:
        """What the errors say, each once."""
        found = (_MESSAGE.search(line.text) for line, _ in self._first.values())
        said = (match[1].strip()[:_LONGEST] for match in found if match)
        return list(dict.fromkeys(said))[:_SHOWN]

    def _keep(self, line: Line) -> None:
        shape = _VARYING.sub("#", line.text.strip()[:_LONGEST])
        known = self._first.get(shape)
        if known is not None:
            self._first[shape] = (known[0], known[1] + 1)
        elif len(self._first) < _MOST_SHAPES:
            self._first[shape] = (line, 1)


def _may_tell(text: str) -> bool:
    """A quick look, since most lines of a log tell of no error."""
    return any(hint in text for hint in HINTS)
