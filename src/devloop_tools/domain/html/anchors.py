"""Ids for headings: what they say, in any script, so that a link survives other changes.

The page's own script (`assets/shell.js`) makes the same ids for pages written by hand.
"""

import re
import unicodedata
from collections.abc import Iterable

MAX_ANCHOR = 64
_UNNAMED = "section"


def slug(text: str) -> str:
    """Letters, digits and marks of any script in lower case, joined by `-`."""
    composed = unicodedata.normalize("NFC", text)
    kept = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in composed)
    joined = "-".join(kept.lower().split())
    return joined[:MAX_ANCHOR].rstrip("-") or _UNNAMED


class Anchors:
    """The ids of one page; each is given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """`wanted`, or `wanted-2`, `wanted-3` and so on where it is taken."""
        # Counted on from the last time: a page may have thousands of headings of one text.
        name, count = wanted, self._counts.get(wanted, 1)
        while name in self._taken:
            count += 1
            name = f"{wanted}-{count}"
        self._counts[wanted] = count
        self._taken.add(name)
        return name


def is_usable(text: str | None) -> bool:
    """Whether an id that somebody wrote can stay: no blank, not too long (HTML, 3.2.6)."""
    return text is not None and re.fullmatch(r"\S{1,128}", text) is not None
