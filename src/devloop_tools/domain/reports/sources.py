"""Where a report comes from: a text in the call, or a file that is read piece by piece."""

import codecs
import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from devloop_tools.domain.reports.plain_text import plain, uncolored
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.files import ProjectFile

PIECE = 256 * 1024
MAX_BYTES = 1024 * 1024 * 1024
"""Longer reports are refused; all others are read, whatever their size."""

_HELD_BACK = 64
_CONTROL_BYTES = bytes({*range(32), 127} - {9, 10, 13, 27})
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "a zip archive", b"(\xb5/\xfd": "zstd"}


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a report. `name` is what refusals call it."""

    name: str
    file: ProjectFile | None = None
    text: str = ""

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The bytes. Raises ExpectedFailure where there is no such file or it is too long."""
        if self.file is None:
            yield io.BytesIO(self.text.encode("utf-8", "replace"))
            return
        try:
            with self.file.opened() as stream:
                size = stream.seek(0, io.SEEK_END)
                if size > MAX_BYTES:
                    reason = f"{self.name}: {size} bytes; at most {MAX_BYTES} are read."
                    raise ExpectedFailure(reason, "Run fewer tests at once, or another reporter.")
                stream.seek(0)
                yield stream
        except FileNotFoundError:
            raise ExpectedFailure(
                f"{self.name}: there is no such file.",
                "Run the tests with --outputFile=FILE and name that file, or send the text.",
            ) from None


def pieces(stream: BinaryIO, name: str) -> Iterator[str]:
    """The text of `stream` without colors. Raises ExpectedFailure where it is no text."""
    head = stream.read(PIECE)
    encoding, start = _encoding(head)
    if encoding == "utf-8":
        _refuse_binary(head, name)
    # Taken out of bytes in UTF-8, signs cost nothing; no other sign has one of these bytes.
    clean, signs = (uncolored, _CONTROL_BYTES) if encoding == "utf-8" else (plain, b"")
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    held, block = "", head[start:]
    while block:
        text = held + decoder.decode(block.translate(None, signs))
        block = stream.read(PIECE)
        cut = _safe_end(text) if block else len(text)
        held = text[cut:]
        yield clean(text[:cut])
    if rest := held + decoder.decode(b"", final=True):
        yield plain(rest)


def _encoding(head: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def _safe_end(text: str) -> int:
    """Where `text` can be cut without tearing an escape sequence or the end of a line."""
    if text.endswith("\r"):
        return len(text) - 1
    escape = text.rfind("\x1b", len(text) - _HELD_BACK)
    return escape if escape > 0 else len(text)


def _refuse_binary(head: bytes, name: str) -> None:
    for mark, kind in _PACKED.items():
        if head.startswith(mark):
            raise ExpectedFailure(f"{name}: it is {kind}, not a text.", "Unpack it first.")
    if b"\0" in head[:8192]:
        raise ExpectedFailure(
            f"{name}: it is a binary file, not a test report.",
            "Name the file that the reporter wrote: JSON, XML, TAP or the text it shows.",
        )
