"""Which items of two sequences are the same, in order: patience, in near linear time.

Items that occur once on both sides are the fixed points; between them it starts anew. What is left
where nothing is unique is compared exactly if it is small, and in windows of bounded number if not,
so that no input takes quadratic time.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence

Pair = tuple[int, int]
Range = tuple[int, int, int, int]

EXACT = 64 * 64
"""Product of lengths up to which a rest without unique items is compared exactly."""

WINDOW = 64
MAX_WINDOWS = 500


def aligned(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Pair]:
    """Pairs of places with equal items, rising on both sides."""
    found: list[Pair] = []
    windows = MAX_WINDOWS
    waiting: list[Range] = [(0, len(before), 0, len(after))]
    while waiting:
        rest = _trimmed(before, after, waiting.pop(), found)
        if rest[0] == rest[1] or rest[2] == rest[3]:
            continue
        if anchors := _rising(_unique_pairs(before, after, rest)):
            waiting.extend(_gaps(rest, anchors))
            found.extend(anchors)
            continue
        for part in _windows(rest):
            if windows > 0:
                found.extend(_matched(before, after, part))
                windows -= 1
    return sorted(found)


def _trimmed(
    before: Sequence[Hashable], after: Sequence[Hashable], whole: Range, found: list[Pair]
) -> Range:
    """What is left of a range without its equal head and tail, which are added to `found`."""
    low, high, start, end = whole
    while low < high and start < end and before[low] == after[start]:
        found.append((low, start))
        low, start = low + 1, start + 1
    while low < high and start < end and before[high - 1] == after[end - 1]:
        high, end = high - 1, end - 1
        found.append((high, end))
    return low, high, start, end


def _unique_pairs(
    before: Sequence[Hashable], after: Sequence[Hashable], whole: Range
) -> list[Pair]:
    """Places of items that occur once on both sides, in the order of `before`."""
    low, high, start, end = whole
    there = _unique(after, start, end)
    here = _unique(before, low, high)
    return [
        (place, other)
        for item, place in here.items()
        if place >= 0 and (other := there.get(item, -1)) >= 0
    ]


def _unique(items: Sequence[Hashable], start: int, end: int) -> dict[Hashable, int]:
    """Items with their place, -1 for those that occur more than once."""
    places: dict[Hashable, int] = {}
    for place in range(start, end):
        item = items[place]
        places[item] = -1 if item in places else place
    return places


def _rising(pairs: list[Pair]) -> list[Pair]:
    """The longest part of `pairs` that rises on the second side too."""
    tails: list[int] = []
    last: list[int] = []
    link: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        link.append(last[length - 1] if length else -1)
        if length == len(tails):
            tails.append(place)
            last.append(index)
        else:
            tails[length], last[length] = place, index
    chosen: list[Pair] = []
    index = last[-1] if last else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = link[index]
    return chosen[::-1]


def _gaps(whole: Range, anchors: list[Pair]) -> list[Range]:
    low, high, start, end = whole
    gaps: list[Range] = []
    for here, there in anchors:
        gaps.append((low, here, start, there))
        low, start = here + 1, there + 1
    return [*gaps, (low, high, start, end)]


def _windows(whole: Range) -> list[Range]:
    """The range itself if it is small, else parts of it that lie side by side."""
    low, high, start, end = whole
    if (high - low) * (end - start) <= EXACT:
        return [whole]
    parts = max(high - low, end - start) // WINDOW + 1
    rows = [low + (high - low) * part // parts for part in range(parts + 1)]
    columns = [start + (end - start) * part // parts for part in range(parts + 1)]
    return [(*rows[part : part + 2], *columns[part : part + 2]) for part in range(parts)]  # type: ignore[misc]  # two and two make four


def _matched(before: Sequence[Hashable], after: Sequence[Hashable], part: Range) -> list[Pair]:
    """The longest common subsequence, by the table of lengths."""
    low, high, start, end = part
    lengths = [[0] * (end - start + 1)]
    for place in range(high - 1, low - 1, -1):
        item, below = before[place], lengths[-1]
        row = [0] * (end - start + 1)
        for offset in range(end - start - 1, -1, -1):
            if after[start + offset] == item:
                row[offset] = below[offset + 1] + 1
            else:
                row[offset] = max(below[offset], row[offset + 1])
        lengths.append(row)
    lengths.reverse()
    return list(_path(lengths, low, start))


def _path(lengths: list[list[int]], low: int, start: int) -> Iterator[Pair]:
    i = j = 0
    while lengths[i][j]:
        here = lengths[i][j]
        if here == lengths[i + 1][j]:
            i += 1
        elif here == lengths[i][j + 1]:
            j += 1
        else:
            yield low + i, start + j
            i, j = i + 1, j + 1
