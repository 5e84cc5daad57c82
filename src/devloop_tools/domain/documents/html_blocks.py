"""A page as a list of blocks: what a reader sees as one paragraph, item, row or heading.

Two spellings of one page give the same blocks: white space counts as HTML says, the order of
attributes and of classes does not, entities are characters. Comments are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

Attributes = tuple[tuple[str, str], ...]

TAG = re.compile("\x02[^\x03]*\x03")
"""An inline tag as it stands in `Block.content`."""

_BLOCKS = frozenset(
    "address article aside base blockquote body caption center col colgroup dd details dialog dir"
    " div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header"
    " hgroup hr html legend li link main menu meta nav noscript ol optgroup option p pre script"
    " search section style summary table tbody td template tfoot th thead title tr ul".split()
)
_ENCLOSING = frozenset("aside blockquote details dl figure menu ol ul".split())
"""Elements that say something about what is inside them."""

_OUTLINE = frozenset("article aside body details footer header main nav section".split())
_LANDMARKS = frozenset("aside footer nav".split())
_VERBATIM = frozenset("pre textarea listing script style".split())
_SEEN_EMPTY = frozenset("hr img input iframe video audio embed object canvas svg br".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile("[ \t\n\r\f]+")
_MARKS = str.maketrans(dict.fromkeys("\x02\x03"))


@dataclass(frozen=True, slots=True)
class Block:
    """`content` is text with inline tags between U+0002 and U+0003; a row of a table has `cells`.

    `kind` is the element's name, behind those that enclose it: `ul>li`. A block without content is
    an element that only holds others, or shows nothing by itself.
    """

    kind: str
    section: str
    content: str = ""
    attributes: Attributes = ()
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    row: int = 0

    @property
    def key(self) -> tuple[str, str, Attributes, tuple[str, ...]]:
        """Equal for blocks that are the same, wherever they stand."""
        return self.kind, self.content, self.attributes, self.cells

    @property
    def element(self) -> str:
        return self.kind.rpartition(">")[2]

    @property
    def shows(self) -> bool:
        """Whether there is anything in it, be it only an image."""
        return bool(self.content or self.cells)

    @property
    def text(self) -> str:
        """What a reader sees."""
        if self.cells:
            return " | ".join(map(plain, self.cells))
        return plain(self.content)


def plain(content: str) -> str:
    """A block's or cell's content without its tags."""
    return TAG.sub("", content)


def blocks_of(tree: "LexborHTMLParser") -> list[Block]:
    """The blocks of a page in their order."""
    reader = _Reader()
    if tree.root is not None:
        for event, node in _walk(tree.root):
            if event == "text":
                reader.text(node.text_content or "")
            elif event == "open":
                reader.open(node)
            else:
                reader.close(node.tag or "")
    reader.flush()
    return reader.blocks


def _walk(root: "LexborNode") -> "Iterator[tuple[str, LexborNode]]":
    """Open, text and close in document order, without recursion."""
    yield "open", root
    opened, following = [root], [root.child]
    while opened:
        node = following[-1]
        if node is None:
            following.pop()
            yield "close", opened.pop()
            continue
        following[-1] = node.next
        if node.is_text_node:
            yield "text", node
        elif node.is_element_node:
            yield "open", node
            opened.append(node)
            following.append(node.child)


@dataclass(slots=True)
class _Inline:
    """One run of text and inline tags, white space collapsed as it goes."""

    parts: list[str] = field(default_factory=list)
    space: bool = False
    seen: bool = False
    opened: bool = False
    fresh: bool = True
    """At the start of a line, where a blank is not seen."""

    def text(self, text: str, *, verbatim: bool) -> None:
        text = _without_marks(text)
        if verbatim:
            self._add(text)
            return
        words = text
        if "\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text:
            words = _SPACE.sub(" ", text)
        if words.startswith(" ") and not self.fresh:
            self.space = True
        if core := words.strip(" "):
            self._add(core)
            self.space = words.endswith(" ")

    def tag(self, tag: str, *, closes: bool, seen: bool) -> None:
        if tag.startswith("<br"):
            self.space, self.fresh, self.seen = False, True, True
        elif seen:
            self._add("")
        self.parts.append(f"\x02{tag}\x03")
        self.opened = self.opened or not closes

    def line(self) -> None:
        """The border of two blocks inside a cell."""
        if self.seen:
            self.parts.append("\n")
            self.space, self.fresh = False, True

    def content(self) -> str:
        return "".join(self.parts).strip("\n") if self.seen or self.opened else ""

    def _add(self, text: str) -> None:
        if self.space and not self.fresh:
            # A blank before an opening tag looks like one behind it; it has one place here.
            place = len(self.parts)
            while (
                place
                and self.parts[place - 1].startswith("\x02<")
                and (not self.parts[place - 1].startswith("\x02</"))
            ):
                place -= 1
            self.parts.insert(place, " ")
        self.space = self.fresh = False
        self.seen = True
        self.parts.append(text)


@dataclass(slots=True)
class _Table:
    columns: tuple[str, ...] = ()
    rows: int = 0


class _Reader:
    """Turns elements and texts into blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._inline = _Inline()
        self._open: list[tuple[str, Attributes]] = []
        self._enclosing: list[str] = []
        self._headings: list[tuple[int, str]] = []
        self._outer: list[list[tuple[int, str]]] = []
        self._verbatim = 0
        self._drawing = 0
        self._tables: list[_Table] = []
        self._cells: list[str] | None = None
        self._cell_depth = 0

    def text(self, text: str) -> None:
        if not (self._drawing and text.isspace()):
            self._inline.text(text, verbatim=self._verbatim > 0)

    def open(self, node: "LexborNode") -> None:
        tag, attributes = node.tag or "", _attributes(node)
        self._count(tag, 1)
        if tag not in _BLOCKS:
            self._inline.tag(_written(tag, attributes), closes=False, seen=tag in _SEEN_EMPTY)
        elif self._cells is not None:
            self._open_in_row(tag, attributes)
        else:
            self._open_block(tag, attributes)

    def close(self, tag: str) -> None:
        self._count(tag, -1)
        if tag not in _BLOCKS:
            self._inline.tag(f"</{tag}>", closes=True, seen=False)
        elif self._cells is not None:
            self._close_in_row(tag)
        else:
            self._close_block(tag)

    def flush(self) -> None:
        """End the run of text; it is a block if there is anything in it."""
        if not self._inline.parts:
            self._inline.space = False
            return
        inline, self._inline = self._inline, _Inline()
        if content := inline.content():
            self._emit(content)

    def _count(self, tag: str, step: int) -> None:
        if tag in _VERBATIM:
            self._verbatim += step
        elif tag == "svg":
            self._drawing += step

    def _open_block(self, tag: str, attributes: Attributes) -> None:
        self.flush()
        self._mark()
        if tag in _OUTLINE:
            self._outer.append(list(self._headings))
        if tag in _LANDMARKS and self._headings_are_of_page():
            self._headings = [(1, tag)]
        if tag in _ENCLOSING:
            self._enclosing.append(tag)
        if tag == "table":
            self._tables.append(_Table())
        self._open.append((tag, attributes))
        if tag == "tr" and self._tables:
            self._cells = []

    def _close_block(self, tag: str) -> None:
        self.flush()
        if self._open and (self._open[-1][1] or tag == "hr"):
            self._emit("")
        if self._open:
            self._open.pop()
        if tag in _OUTLINE and self._outer:
            self._headings = self._outer.pop()
        if tag in _ENCLOSING and self._enclosing:
            self._enclosing.pop()
        if tag == "table" and self._tables:
            self._tables.pop()

    def _headings_are_of_page(self) -> bool:
        """Whether we are in no article or section, whose asides belong to them."""
        return not any(tag in ("article", "section") for tag, _ in self._open)

    def _mark(self) -> None:
        """A block for an element that holds blocks and has attributes."""
        if self._open and self._open[-1][1]:
            self._emit("")

    def _emit(self, content: str) -> None:
        tag, attributes = self._open[-1] if self._open else ("body", ())
        if self._open:
            self._open[-1] = (tag, ())
        if tag in _HEADINGS and content:
            level = _HEADINGS[tag]
            self._headings = [known for known in self._headings if known[0] < level]
            self._headings.append((level, plain(content)))
        kind = ">".join((*self._enclosing, tag))
        if self._enclosing and self._enclosing[-1] == tag:
            kind = ">".join(self._enclosing)
        self.blocks.append(Block(kind, self._section(), content, attributes))

    def _section(self) -> str:
        """The headings above, without the page's own if there are others."""
        titles = [title for level, title in self._headings if level > 1]
        return " › ".join(titles or [title for _, title in self._headings])

    def _open_in_row(self, tag: str, attributes: Attributes) -> None:
        if tag in ("td", "th") and self._cell_depth == 0:
            self._inline = _Inline()
            if attributes or tag == "th":
                self._inline.tag(_written(tag, attributes), closes=False, seen=False)
        else:
            self._inline.line()
            if attributes:
                self._inline.tag(_written(tag, attributes), closes=False, seen=False)
        self._cell_depth += 1

    def _close_in_row(self, tag: str) -> None:
        if self._cell_depth == 0:
            self._end_row()
            self._close_block(tag)
            return
        self._cell_depth -= 1
        if self._cell_depth:
            self._inline.line()
            return
        if self._cells is not None:
            self._cells.append(self._inline.content())
        self._inline = _Inline()

    def _end_row(self) -> None:
        cells, self._cells, table = tuple(self._cells or ()), None, self._tables[-1]
        table.rows += 1
        if not table.columns and any(cell.startswith("\x02<th") for cell in cells):
            table.columns = tuple(map(plain, cells))
        tag, attributes = self._open[-1]
        self._open[-1] = (tag, ())
        if cells or attributes:
            kind = ">".join((*self._enclosing, tag))
            row = (cells, table.columns, table.rows)
            self.blocks.append(Block(kind, self._section(), "", attributes, *row))


def _attributes(node: "LexborNode") -> Attributes:
    found = node.attributes
    if not found:
        return ()
    return tuple(sorted((name, _value(name, value or "")) for name, value in found.items()))


def _value(name: str, value: str) -> str:
    """Classes are a set, whose order says nothing."""
    if name == "class":
        return " ".join(sorted(set(value.split())))
    return _without_marks(value)


def _without_marks(text: str) -> str:
    """`text` without the characters that enclose tags here, which no page needs."""
    return text.translate(_MARKS) if "\x02" in text or "\x03" in text else text


def _written(tag: str, attributes: Attributes) -> str:
    listed = "".join(f' {name}="{value}"' for name, value in attributes)
    return f"<{tag}{listed}>"
