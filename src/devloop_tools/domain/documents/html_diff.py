"""The differences of two pages, for a program (hunks), and for a reader (one text)."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from devloop_tools.domain.documents.alignment import aligned
from devloop_tools.domain.documents.html_blocks import TAG, Block, blocks_of, plain
from devloop_tools.domain.documents.html_changes import Change, Op, page_changes
from devloop_tools.domain.documents.page_versions import before_and_after, read_page_version
from devloop_tools.domain.documents.word_changes import Piece, pieces
from devloop_tools.domain.outcome import Done
from devloop_tools.storage.workspace import Workspace

MAX_QUOTED = 2_000
"""Longer blocks are quoted by their head; their changed words are told all the same."""

MAX_WORDS = 200
"""Most changed phrases that are told of one block or cell."""


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)


class WordChange(_Shown):
    old: str
    new: str


class CellChange(_Shown):
    """`row` counts from 1 in the page after; `column` is the table's heading, else a number."""

    row: int
    column: str
    old: str
    new: str


class AttributeChange(_Shown):
    """An attribute of the block, or an inline tag such as a link, named by its element."""

    name: str
    old: str | None
    new: str | None


class Hunk(_Shown):
    """One block. `old` is left out where it was added, `new` where it was removed."""

    section: str
    op: str
    kind: str
    old: str | None = None
    new: str | None = None
    from_section: str | None = None
    words: list[WordChange] = Field(default_factory=list)
    cells: list[CellChange] = Field(default_factory=list)
    attributes: list[AttributeChange] = Field(default_factory=list)
    markup_only: bool = False

    @model_serializer(mode="wrap")
    def _short(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Only what there is to say: there may be thousands of hunks."""
        shown: dict[str, Any] = fields(self)
        return {name: value for name, value in shown.items() if value not in (None, [], False)}


class DiffCounts(_Shown):
    added: int = 0
    removed: int = 0
    moved: int = 0
    changed: int = 0


class HtmlDiff(Done):
    """`same` says whether nothing differs; `notes` how a page's bytes had to be read."""

    before: str
    after: str
    same: bool
    counts: DiffCounts
    notes: list[str] = Field(default_factory=list)
    hunks: list[Hunk] = Field(default_factory=list)
    unified: str = ""


def diff_pages(workspace: Workspace, before: str, after: str | None, context: int) -> HtmlDiff:
    """The differences of two pages by path or archive id. Raises ExpectedFailure."""
    changes, paths, notes = changes_between(workspace, before, after)
    counted = {op: sum(change.op is op for change in changes) for op in Op if op is not Op.SAME}
    hunks = [hunk_of(change) for change in changes if change.op is not Op.SAME]
    return HtmlDiff(
        before=paths[0],
        after=paths[1],
        same=not hunks,
        counts=DiffCounts.model_validate(counted),
        notes=notes,
        hunks=hunks,
        unified="\n".join(_unified(changes, paths, context)) if hunks else "",
    )


def changes_between(
    workspace: Workspace, before: str, after: str | None
) -> tuple[list[Change], tuple[str, str], list[str]]:
    """Every block of two pages, their paths, and notes. Raises ExpectedFailure."""
    first, second = before_and_after(workspace, before, after)
    old_path, old = read_page_version(workspace, first)
    new_path, new = read_page_version(workspace, second)
    changes = page_changes(blocks_of(old.tree), blocks_of(new.tree))
    notes = list(dict.fromkeys(page.note for page in (old, new) if page.note))
    return changes, (old_path, new_path), notes


def hunk_of(change: Change) -> Hunk:
    """A change for a program."""
    old, new = change.old, change.new
    words: list[WordChange] = []
    cells: list[CellChange] = []
    attributes: list[AttributeChange] = []
    if old and new:
        cells = list(cell_changes(old, new))
        words = [] if old.cells or new.cells else list(word_changes(old.content, new.content))
        attributes = list(_attribute_changes(old, new))
    differs = bool(old and new and old.key != new.key)
    moved_away = old and new and change.op is Op.MOVED and old.section != new.section
    return Hunk(
        section=change.block.section,
        op=change.op.value,
        kind=_kind(old, new),
        old=_quoted(old),
        new=_quoted(new),
        from_section=old.section if old and moved_away else None,
        words=words,
        cells=cells,
        attributes=attributes,
        markup_only=differs and not words and not any(c.old != c.new for c in cells),
    )


def word_changes(old: str, new: str) -> Iterator[WordChange]:
    """The phrases that differ, without inline tags; the first MAX_WORDS of them."""
    if plain(old) == plain(new):
        return
    differing = (piece for piece in pieces(old, new) if not piece.same)
    for _, piece in zip(range(MAX_WORDS), differing, strict=False):
        yield WordChange(old=piece.old, new=piece.new)


def cell_changes(old: Block, new: Block) -> Iterator[CellChange]:
    """The cells of a row that differ; cells that came or went have an empty side."""
    if old.cells == new.cells:
        return
    here = there = 0
    for left, right in [*_cell_pairs(old, new), (len(old.cells), len(new.cells))]:
        gone, come = range(here, left), range(there, right)
        for offset in range(max(len(gone), len(come))):
            was = plain(old.cells[gone[offset]]) if offset < len(gone) else ""
            now = plain(new.cells[come[offset]]) if offset < len(come) else ""
            name = _column(new, come[offset]) if offset < len(come) else _column(old, gone[offset])
            yield CellChange(row=new.row, column=name, old=_cut(was), new=_cut(now))
        here, there = left + 1, right + 1


def _cell_pairs(old: Block, new: Block) -> list[tuple[int, int]]:
    """Cells of one column: by place where rows are of one length, else by what is the same."""
    if len(old.cells) == len(new.cells):
        return [(at, at) for at, cell in enumerate(old.cells) if cell == new.cells[at]]
    if old.columns and new.columns and old.columns != old.cells:
        return [
            (left, right)
            for left, right in aligned(old.columns, new.columns)
            if left < len(old.cells) and right < len(new.cells)
            and old.cells[left] == new.cells[right]
        ]  # fmt: skip
    return aligned(old.cells, new.cells)


def _column(block: Block, at: int) -> str:
    named = block.columns[at] if at < len(block.columns) else ""
    return named or str(at + 1)


def _attribute_changes(old: Block, new: Block) -> Iterator[AttributeChange]:
    was, now = dict(old.attributes), dict(new.attributes)
    for name in sorted(set(was) | set(now)):
        if was.get(name) != now.get(name):
            yield AttributeChange(name=name, old=was.get(name), new=now.get(name))
    yield from _tag_changes(old, new)


def _tag_changes(old: Block, new: Block) -> Iterator[AttributeChange]:
    """Inline tags that differ; the first MAX_WORDS of them."""
    was, now = _tags(old), _tags(new)
    if was == now:
        return
    here = there = told = 0
    for left, right in [*aligned(was, now), (len(was), len(now))]:
        gone, come = was[here:left], now[there:right]
        for before, after in zip_longest(gone, come):
            if told == MAX_WORDS:
                return
            told += 1
            yield AttributeChange(name=_element_in(before or after), old=before, new=after)
        here, there = left + 1, right + 1


def _tags(block: Block) -> list[str]:
    """The opening inline tags, as they are written."""
    found = (tag[1:-1] for part in (block.content, *block.cells) for tag in TAG.findall(part))
    return [tag for tag in found if not tag.startswith("</")]


def _element_in(tag: str) -> str:
    return tag.strip("<>").partition(" ")[0]


def _kind(old: Block | None, new: Block | None) -> str:
    names = [block.kind for block in (old, new) if block]
    return " → ".join(dict.fromkeys(names))


def _quoted(block: Block | None) -> str | None:
    return None if block is None else _cut(block.text)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"


def _unified(changes: Iterable[Change], paths: tuple[str, str], context: int) -> Iterator[str]:
    """The text: a line a block, with what differs inside marked, and some blocks around it."""
    yield f"--- {paths[0]}"
    yield f"+++ {paths[1]}"
    section: str | None = None
    around: deque[Change] = deque(maxlen=context)
    behind = 0
    for change in changes:
        if change.op is Op.SAME:
            if behind:
                yield from _context(change)
                behind -= 1
            else:
                around.append(change)
            continue
        if change.block.section != section:
            section = change.block.section
            yield f"@@ {section} @@"
        for same in around:
            yield from _context(same)
        around.clear()
        behind = context
        yield _line(change)


def _context(change: Change) -> Iterator[str]:
    if change.block.text:
        yield f"  {_one_line(change.block.text)}"


def _line(change: Change) -> str:
    kind, old, new = _kind(change.old, change.new), change.old, change.new
    match change.op:
        case Op.ADDED:
            return f"+ {kind}: {_one_line(change.block.text)}"
        case Op.REMOVED:
            return f"- {kind}: {_one_line(change.block.text)}"
    mark = ">" if change.op is Op.MOVED else "~"
    assert old is not None
    assert new is not None
    origin = (
        f" (from {old.section or 'the top'})" if mark == ">" and old.section != new.section else ""
    )
    if old.text == new.text:
        named = ", ".join(_named(change) for change in _attribute_changes(old, new))
        why = named or ("" if old.key == new.key else "markup")
        return f"{mark} {kind}{origin}: {_one_line(new.text)}" + (f" [{why}]" if why else "")
    if old.cells and new.cells:
        told = "; ".join(
            f"{cell.column}: {_one_line(_mark(cell.old, cell.new))}"
            for cell in cell_changes(old, new)
        )
        return f"{mark} {kind} {new.row}{origin}: {told}"
    return f"{mark} {kind}{origin}: {_one_line(_marked(pieces(old.content, new.content)))}"


def _named(change: AttributeChange) -> str:
    return f"{change.name}: {change.old or 'none'} → {change.new or 'none'}"


def _marked(runs: list[Piece]) -> str:
    """Both texts in one, `[-old-]{+new+}` where they differ, long equal runs by their ends."""
    parts: list[str] = []
    for piece in runs:
        if piece.same:
            text = piece.old
            parts.append(text if len(text) <= 120 else f"{text[:50]}…{text[-50:]}")
            continue
        parts.append(_mark(piece.old, piece.new))
    return "".join(parts)


def _mark(old: str, new: str) -> str:
    return (f"[-{old}-]" if old else "") + (f"{{+{new}+}}" if new else "")


def _one_line(text: str) -> str:
    return _cut(text).replace("\n", "⏎")
