"""What changed between the blocks of two pages: added, removed, moved, changed.

Blocks that are the same are paired first, in order. What is left between two pairs is paired by
likeness: such blocks changed. The same block left on both sides moved.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from devloop_tools.domain.documents.alignment import aligned
from devloop_tools.domain.documents.html_blocks import Block
from devloop_tools.domain.documents.word_changes import Bag, bag_of, likeness

Pairs = dict[int, int]
"""Places after, and the places before that they are paired with."""

SMALL_GAP = 20
"""Up to so many blocks on each side, every block is compared with every other."""

ALIKE = 0.5
ALIKE_ALONE = 0.2
"""What one block between two pairs must have in common with the one in its place."""

ALIKE_MOVED = 0.6
ALIKE_OTHER_KIND = 0.75
"""What a block must have in common with one of another kind, such as a heading of other level."""

_ALONE = frozenset("hr link meta base script style".split())
_SHORT = 40
_HINT = 24


class Op(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One block: `old` is None where it was added, `new` where it was removed.

    A block that moved may have changed too.
    """

    op: Op
    old: Block | None
    new: Block | None

    @property
    def block(self) -> Block:
        """The block as it is, or as it was."""
        found = self.new or self.old
        assert found is not None
        return found


def page_changes(before: Sequence[Block], after: Sequence[Block]) -> list[Change]:
    """Every block of both pages once, in the order of `after`; removed ones where they stood."""
    same = {
        new: old
        for old, new in aligned([block.key for block in before], [block.key for block in after])
    }
    pairing = _Pairing(before, after)
    in_order = dict(same)
    for olds, news in _gaps(same, range(len(before)), range(len(after))):
        in_order |= pairing.alike(olds, news)
    kept = set(in_order.values())
    gone = [place for place in range(len(before)) if place not in kept]
    come = [place for place in range(len(after)) if place not in in_order]
    return list(_listed(before, after, in_order, pairing.moved(gone, come)))


def _gaps(pairs: Pairs, olds: range, news: range) -> Iterator[tuple[range, range]]:
    """What lies between pairs, where something does on both sides."""
    here, there = olds.start, news.start
    for new, old in [*sorted(pairs.items()), (news.stop, olds.stop)]:
        if old > here and new > there:
            yield range(here, old), range(there, new)
        here, there = old + 1, new + 1


def _parts(olds: range, news: range) -> Iterator[tuple[range, range]]:
    """A large gap in parts that lie side by side."""
    parts = max(len(olds), len(news)) // SMALL_GAP + 1
    for part in range(parts):
        yield (
            olds[len(olds) * part // parts : len(olds) * (part + 1) // parts],
            news[len(news) * part // parts : len(news) * (part + 1) // parts],
        )


class _Pairing:
    """Pairs blocks that are not the same. The words of a block are counted once."""

    def __init__(self, before: Sequence[Block], after: Sequence[Block]) -> None:
        self._before = before
        self._after = after
        self._old_bags: dict[int, Bag] = {}
        self._new_bags: dict[int, Bag] = {}

    def alike(self, olds: range, news: range) -> Pairs:
        """Blocks of a gap that are like each other, in order."""
        if len(olds) <= SMALL_GAP and len(news) <= SMALL_GAP:
            return self._best(olds, news)
        pairs: Pairs = {}
        for hint in (_head, _tail):
            hinted = aligned(
                [hint(self._before[place]) for place in olds],
                [hint(self._after[place]) for place in news],
            )
            if hinted:
                pairs = {news[new]: olds[old] for old, new in hinted}
                break
        for inner in list(_gaps(pairs, olds, news)):
            for part in _parts(*inner):
                pairs |= self._best(*part)
        return pairs

    def moved(self, gone: list[int], come: list[int]) -> Pairs:
        """Blocks that are gone in one place and came in another, the same or nearly so."""
        before, after = self._before, self._after
        pairs: Pairs = {}
        left: dict[object, deque[int]] = defaultdict(deque)
        for place in gone:
            if before[place].shows:
                left[before[place].key].append(place)
        for place in come:
            if waiting := left.get(after[place].key):
                pairs[place] = waiting.popleft()
        for hint in (_head, _tail):
            taken = set(pairs.values())
            olds = _unique(before, [place for place in gone if place not in taken], hint)
            news = _unique(after, [place for place in come if place not in pairs], hint)
            for key, place in news.items():
                old = olds.get(key)
                if old is not None and self._likeness(old, place) >= ALIKE_MOVED:
                    pairs[place] = old
        return pairs

    def _best(self, olds: range, news: range) -> Pairs:
        """The pairs in order that have most in common in all."""
        alone = len(olds) == len(news) == 1
        scores = [[self._score(old, new, alone=alone) for new in news] for old in olds]
        best = [[0.0] * (len(news) + 1) for _ in range(len(olds) + 1)]
        for i in range(len(olds) - 1, -1, -1):
            for j in range(len(news) - 1, -1, -1):
                paired = best[i + 1][j + 1] + scores[i][j] if scores[i][j] else 0.0
                best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
        pairs: Pairs = {}
        i = j = 0
        while i < len(olds) and j < len(news):
            if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
                pairs[news[j]] = olds[i]
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
        return pairs

    def _score(self, i: int, j: int, *, alone: bool) -> float:
        """How much a block is like another, 0 if it is another block."""
        old, new = self._before[i], self._after[j]
        if old.shows != new.shows:
            return 0.0
        if not old.shows:
            return 1.0 if old.element == new.element else 0.0
        found = self._likeness(i, j)
        if old.kind != new.kind:
            return found * 0.9 if found >= ALIKE_OTHER_KIND else 0.0
        short = max(len(old.text), len(new.text)) <= _SHORT
        least = 0.0 if alone and short else ALIKE_ALONE if alone else ALIKE
        return max(found, 0.01) if found >= least else 0.0

    def _likeness(self, i: int, j: int) -> float:
        old = self._old_bags.get(i) or self._old_bags.setdefault(i, _bag(self._before[i]))
        new = self._new_bags.get(j) or self._new_bags.setdefault(j, _bag(self._after[j]))
        return likeness(old, new)


def _bag(block: Block) -> Bag:
    return bag_of("\n".join(block.cells) or block.content)


def _unique(
    blocks: Sequence[Block], places: list[int], hint: Callable[[Block], tuple[str, str]]
) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place in places:
        if len(blocks[place].text) >= _HINT:
            found[hint(blocks[place])].append(place)
    return {key: same[0] for key, same in found.items() if len(same) == 1}


def _head(block: Block) -> tuple[str, str]:
    return block.kind, block.text[:_HINT]


def _tail(block: Block) -> tuple[str, str]:
    return block.kind, block.text[-_HINT:]


def _listed(
    before: Sequence[Block], after: Sequence[Block], in_order: Pairs, moved: Pairs
) -> Iterator[Change]:
    """All blocks; elements that only hold others are told if these didn't come or go with them."""
    left = set(moved.values())
    here = 0
    for place, new in enumerate(after):
        if place not in in_order:
            if place in moved:
                yield Change(Op.MOVED, before[moved[place]], new)
            elif not _goes_with_next(after, place, lambda next_: next_ not in in_order):
                yield Change(Op.ADDED, None, new)
            continue
        yield from _removed(before, here, in_order[place], left)
        old = before[in_order[place]]
        yield Change(Op.SAME if old.key == new.key else Op.CHANGED, old, new)
        here = in_order[place] + 1
    yield from _removed(before, here, len(before), left)


def _removed(before: Sequence[Block], start: int, end: int, moved: set[int]) -> Iterator[Change]:
    for place in range(start, end):
        if place in moved or _goes_with_next(before, place, lambda next_: next_ < end):
            continue
        yield Change(Op.REMOVED, before[place], None)


def _goes_with_next(blocks: Sequence[Block], place: int, is_open: Callable[[int], bool]) -> bool:
    """Whether this element only holds others, and what follows came or went too."""
    if blocks[place].shows or blocks[place].element in _ALONE or place + 1 >= len(blocks):
        return False
    return is_open(place + 1)
