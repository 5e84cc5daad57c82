"""HTML from bytes to a tree, as a browser reads it. The one module that knows selectolax and w3lib.

Both are loaded when the first page is read. Nothing here writes HTML.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devloop_tools.storage.errors import ExpectedFailure

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PAGE_BYTES = 16 * 1024 * 1024
"""Larger pages are refused: a tree takes many times the bytes of its page."""

MAX_DEPTH = 5_000
"""Deeper nesting is refused: a parser's time grows with the square of the depth."""

_PART = 1 << 16
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_NEVER_DEEP = frozenset(
    "area base br col embed hr img input link meta source track wbr"
    " p li dt dd td th tr tbody thead tfoot colgroup option optgroup rt rp".split()
)
"""Elements without content, or whose end tag may be left out."""


@dataclass(frozen=True, slots=True)
class PageTree:
    """A page's tree, and `note`: what a reader should know about how its bytes were read."""

    tree: "LexborHTMLParser"
    note: str = ""


def read_tree(content: bytes, path: str) -> PageTree:
    """The page in `content`, which lies at `path`. Raises ExpectedFailure if it is no page."""
    if len(content) > MAX_PAGE_BYTES:
        raise ExpectedFailure(
            f"{path}: {len(content)} bytes; pages above {MAX_PAGE_BYTES} are not read.",
            "Split the page, or name another file.",
        )
    text, note = decoded(content, path)
    if "\0" in text:
        raise ExpectedFailure(f"{path}: it holds NUL bytes; it is no page.", "Name an HTML file.")
    return PageTree(parsed(text, path), note)


def decoded(content: bytes, path: str) -> tuple[str, str]:
    """The text of a page by the rules of the WHATWG, and a note where those had to guess.

    A byte order mark counts first, then what the page declares. Without either it is UTF-8; bytes
    that are none are taken as GB18030 where they are that without a fault, else faulty bytes
    become U+FFFD.
    """
    from w3lib.encoding import html_body_declared_encoding, html_to_unicode, read_bom

    guessed = not read_bom(content)[0] and not html_body_declared_encoding(content)
    encoding, text = html_to_unicode(None, content, auto_detect_fun=_guess)
    if encoding.startswith("utf-16") and not read_bom(content)[0]:
        # A declaration that can be read as ASCII is not in UTF-16, whatever it says.
        encoding, text = "utf-8", content.decode("utf-8", "replace")
    if guessed and encoding == "gb18030":
        return text, f"{path}: no encoding is declared and it is not UTF-8; read as GB18030"
    if "\ufffd" in text and "\ufffd".encode() not in content:
        return text, f"{path}: bytes that are not {encoding} were read as U+FFFD"
    return text, ""


def parsed(text: str, path: str) -> "LexborHTMLParser":
    """The tree of a document. Raises ExpectedFailure where it is nested beyond MAX_DEPTH."""
    from selectolax.lexbor import LexborHTMLParser

    if _may_be_deep(text) and _deepest(text) > MAX_DEPTH:
        raise ExpectedFailure(
            f"{path}: elements are nested deeper than {MAX_DEPTH} levels.",
            "Close what is left open, such as <div>; no page needs that depth.",
        )
    return LexborHTMLParser(text)


def children(node: "LexborNode") -> "Iterator[LexborNode]":
    """The nodes right below `node`, texts and comments too."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _guess(content: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "utf-8"


def _may_be_deep(text: str) -> bool:
    """A quick bound on the depth, by counting brackets a part at a time."""
    depth = 0
    for start in range(0, len(text), _PART):
        closing = text.count("</", start, start + _PART)
        opening = text.count("<", start, start + _PART) - closing
        if depth + opening > MAX_DEPTH:
            return True
        depth = max(0, depth + opening - closing)
    return False


def _deepest(text: str) -> int:
    """How deep elements may be nested at most, by counting tags."""
    depth = deepest = 0
    for closing, name in _TAG.findall(text):
        if name.lower() in _NEVER_DEEP:
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        deepest = max(deepest, depth)
    return deepest
