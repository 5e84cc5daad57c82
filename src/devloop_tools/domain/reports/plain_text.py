"""Text as a terminal would show it, without its colors, and cut where it is too long."""

import re

MAX_TEXT = 4_000
"""Characters of one message, value or diff that are kept."""

_ESCAPE = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # colors and cursor
    "|\x1b\\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\\\)"  # titles and links
    "|\x1b[@-Z\\\\-_]|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def plain(text: str) -> str:
    """`text` without escape sequences, control signs and carriage returns."""
    return _CONTROL.sub("", uncolored(text))


def uncolored(text: str) -> str:
    """`text` without escape sequences and carriage returns at the ends of lines."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    return text.replace("\r\n", "\n")


def shortened(text: str, most: int = MAX_TEXT) -> str:
    """`text`, or its head and its end with a mark between them."""
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end]}\n… {len(text) - most} characters …\n{text[-end:]}"
