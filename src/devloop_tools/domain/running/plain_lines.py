"""What a process wrote to a terminal or a log, as lines of plain text."""

import re

MAX_LINE = 2000

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b[P^_X][^\x1b]*(?:\x1b\\)?"  # strings for the terminal
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colors and movements
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def shown_lines(content: bytes) -> list[str]:
    """Lines without terminal codes; a line that was written over is its last state."""
    text = _ESCAPES.sub("", content.decode("utf-8", "replace").replace("\r\n", "\n"))
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [_shown(line.rstrip("\r").rpartition("\r")[2]) for line in lines]


def _shown(line: str) -> str:
    text = _CONTROLS.sub("�", line)
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}… ({len(text)} characters)"
