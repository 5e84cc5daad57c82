"""Lines of a file or text of any size, in bounded memory: long ones by their head."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_LINE = 16_000
"""Characters of a line that are looked at."""

MAX_FILE_BYTES = 1 << 30

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"),
         (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end and without terminal colours; `number` counts from 1."""

    number: int
    text: str
    is_cut: bool = False


def lines_of_text(text: str) -> Iterator[Line]:
    """The lines of a text."""
    return _lines([text], 1)


def lines_of_file(workspace: Workspace, path: str, last: int | None = None) -> Iterator[Line]:
    """The lines of a file that the agent may read; of a file larger than `last` bytes, its end.

    Raises ExpectedFailure where there is none, or it is binary or larger than 1 GiB, and
    ToolSandboxError where it is closed to the agent.
    """
    file = workspace.readable(path)
    size = file.size()
    if size is None:
        raise ExpectedFailure(f"path: there is no {path}.", "Name a text file of the project.")
    if size > MAX_FILE_BYTES:
        raise ExpectedFailure(f"path: {path} is larger than 1 GiB.", "Cut out what matters.")
    pieces = file.pieces()
    first = next(pieces, b"")
    encoding = next((name for bom, name in _BOMS if first.startswith(bom)), "utf-8")
    if encoding != "utf-16" and b"\0" in first:
        raise ExpectedFailure(
            f"path: {path} is a binary file.", "Name a text file: a log, a report or a source."
        )
    skipped = size - last if last is not None and encoding != "utf-16" else 0
    number, kept = _behind(chain([first], pieces), skipped)
    return _lines(_decoded(kept, encoding), number)


def _behind(pieces: Iterator[bytes], skipped: int) -> tuple[int, Iterator[bytes]]:
    """What comes from the first line that begins behind so many bytes, and that line's number."""
    number, read = 1, 0
    for piece in pieces:
        read += len(piece)
        place = piece.find(b"\n", max(0, len(piece) - read + skipped)) if read > skipped else -1
        if skipped <= 0:
            return 1, chain([piece], pieces)
        if place >= 0:
            return number + piece.count(b"\n", 0, place + 1), chain([piece[place + 1 :]], pieces)
        number += piece.count(b"\n")
    return number, iter(())


def _decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _lines(pieces: Iterable[str], number: int) -> Iterator[Line]:
    begun, is_cut = "", False
    for piece in pieces:
        *ended, rest = piece.split("\n")
        for end in ended:
            yield _line(number, begun + end, is_cut=is_cut)
            number, begun, is_cut = number + 1, "", False
        begun += rest
        if len(begun) > MAX_LINE:
            begun, is_cut = begun[:MAX_LINE], True
    if begun:
        yield _line(number, begun, is_cut=is_cut)


def _line(number: int, text: str, *, is_cut: bool) -> Line:
    cut = is_cut or len(text) > MAX_LINE
    text = text[:MAX_LINE].rstrip("\r")
    return Line(number, _ESCAPES.sub("", text) if "\x1b" in text else text, cut)
