"""Stack traces and diagnostics, read line by line: V8, CPython, Vitest, pytest, tsc, plain logs.

Where a text shows the source line, it comes with the place.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from devloop_tools.domain.evidence.lines import Line
from devloop_tools.domain.evidence.places import Frame, Source, place_in, python_frame

_CODE_LINES = 10
"""Lines behind a place in which a code frame may show it."""

_DEEPEST = 1_000
"""Frames of one traceback that are turned over."""

_CODE_FRAME = re.compile(r"^\s*>?\s*(\d{1,9})\s?[|│]\s?(.*)$")
_TSC_CODE = re.compile(r"^(\d{1,9})\s(.*\S)")


class FrameReader:
    """Reads places line by line, the innermost of a Python traceback first."""

    def __init__(self) -> None:
        self._traceback: list[Frame] = []
        self._indent = ""
        self._awaits_source = False
        self._shown: Frame | None = None
        self._left = 0
        self._marked: str | None = None

    def read(self, lines: Iterable[Line]) -> Iterator[Frame]:
        """The places in the order in which they stand."""
        for line in lines:
            for text in _unfolded(line.text):
                yield from self._feed(text)
        yield from self._end_of_traceback()
        yield from self._end_of_shown()

    def _feed(self, text: str) -> Iterator[Frame]:
        if 'File "' in text and (found := python_frame(text)):
            yield from self._end_of_shown()
            frame, self._indent = found
            if len(self._traceback) == _DEEPEST:
                yield from self._end_of_traceback()
            self._traceback.append(frame)
            self._awaits_source = True
            return
        if self._traceback and self._belongs_to_traceback(text):
            return
        yield from self._end_of_traceback()
        if self._shown is not None:
            shows = self._shows(text)
            if shows or self._left == 0:
                yield from self._end_of_shown()
            if shows:
                return
        if text.startswith(">") and text[1:].strip():
            self._marked = text[1:].strip()
        if place := place_in(text):
            yield from self._end_of_shown()
            yield from self._placed(place)

    def _placed(self, frame: Frame) -> Iterator[Frame]:
        """The place, unless what follows may show its line."""
        if frame.source in (Source.VITEST, Source.TSC):
            self._shown, self._left = frame, _CODE_LINES
        elif frame.source is Source.PYTEST:
            yield replace(frame, quote=self._marked)
            self._marked = None
        else:
            yield frame

    def _belongs_to_traceback(self, text: str) -> bool:
        body = text.removeprefix(self._indent) if self._indent else text
        if not body.startswith("    ") and set(body.strip()) - set("^~ "):
            return False
        if self._awaits_source and set(body.strip()) - set("^~"):
            self._traceback[-1] = replace(self._traceback[-1], quote=body.strip())
            self._awaits_source = False
        return True

    def _end_of_traceback(self) -> Iterator[Frame]:
        yield from reversed(self._traceback)
        self._traceback, self._awaits_source = [], False

    def _shows(self, text: str) -> bool:
        """Whether the code frame behind a place shows its line."""
        assert self._shown is not None
        self._left -= 1
        found = _CODE_FRAME.match(text) or _TSC_CODE.match(text)
        if found and int(found[1]) == self._shown.line and found[2].strip():
            self._shown = replace(self._shown, quote=found[2].strip())
            return True
        return False

    def _end_of_shown(self) -> Iterator[Frame]:
        if self._shown is not None:
            yield self._shown
        self._shown = None


def _unfolded(text: str) -> list[str]:
    """The lines of a trace that a JSON log keeps in one, with `\\n` for each end."""
    if "\\n" in text and ("\\n    at " in text or '\\n  File \\"' in text):
        return text.replace('\\"', '"').split("\\n")
    return [text]
