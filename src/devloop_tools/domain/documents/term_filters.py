"""Which group of pages may hold a term, in a byte a term: a Bloom filter for each group.

The page reads it (`assets/search.js`, mayHold) to load first what can answer a query. About one
group in forty is named for a term that it doesn't hold; none that does is left out. (B. H. Bloom,
Space/time trade-offs in hash coding with allowable errors, 1970.)
"""

import base64
import zlib
from collections.abc import Collection, Iterator

PLACES = 4
"""Bits that are set for one term."""

_SPREAD = 0x9E3779B1


def term_filter(terms: Collection[str]) -> str:
    """The filter of `terms`, in base64."""
    bits = bytearray(max(8, len(terms)))
    for term in terms:
        for place in _places(term, 8 * len(bits)):
            bits[place >> 3] |= 1 << (place & 7)
    return base64.b64encode(bits).decode()


def may_hold(stored: str, term: str) -> bool:
    """Whether a group with this filter may hold `term`."""
    bits = base64.b64decode(stored)
    return all(bits[place >> 3] >> (place & 7) & 1 for place in _places(term, 8 * len(bits)))


def _places(term: str, size: int) -> Iterator[int]:
    first = zlib.crc32(term.encode())
    step = (first * _SPREAD & 0xFFFFFFFF) | 1
    return ((first + count * step) % size for count in range(PLACES))
