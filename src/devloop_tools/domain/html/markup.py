"""The tokens of HTML source with their offsets, and text of any declared encoding.

For what a page means, `domain.html.pieces` has a tree by the standard; this is for where it stands.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from html.parser import HTMLParser

from devloop_tools.storage.errors import ExpectedFailure

MAX_PAGE_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 512

VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)  # fmt: skip
RAW_TEXT = ("script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp")
OPTIONAL_END = frozenset(
    "body colgroup dd dt head html li optgroup option p rp rt tbody td tfoot th thead tr".split()
)
"""Elements whose end tag may be left out (HTML, 13.1.2.4)."""

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_PRESCAN = 1024
_LABELS = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin1": "cp1252"}
"""Labels that mean more than they say (WHATWG Encoding, 4.2)."""


class PageFault(ExpectedFailure):
    """A page can't be used as it is."""


class Kind(Enum):
    OPEN = 1
    CLOSE = 2
    TEXT = 3
    HIDDEN = 4
    """A comment, a doctype or whatever else no browser shows."""


@dataclass(slots=True)
class Token:
    """A tag, or what stands between tags, from `start` to `end` of the source."""

    kind: Kind
    name: str
    attributes: Sequence[tuple[str, str | None]]
    start: int
    end: int
    self_closing: bool = False

    def get(self, name: str) -> str | None:
        """The first attribute of that name; "" for one without a value."""
        return next((value or "" for key, value in self.attributes if key == name), None)

    @property
    def classes(self) -> list[str]:
        return (self.get("class") or "").split()


def tokens(source: str) -> list[Token]:
    """Everything in the source in order."""
    reader = _Reader(source)
    reader.read()
    return reader.found


class _Reader(HTMLParser):
    """Python's tokenizer, told to keep offsets rather than lines."""

    CDATA_CONTENT_ELEMENTS = RAW_TEXT  # type: ignore[misc]  # Final in typeshed, read from the class

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Token] = []
        self._source = source
        self._at = 0

    def read(self) -> None:
        self.feed(self._source)
        # Not close(): it looks for ends that are not there again and again. By the standard a
        # comment or tag that never ends hides the rest.
        if self.rawdata:
            self._at = len(self._source) - len(self.rawdata)
            cut_off = self.rawdata.startswith("<") and self.cdata_elem is None
            self._add(Kind.HIDDEN if cut_off else Kind.TEXT)
        self._fill_gaps()

    def _fill_gaps(self) -> None:
        """Texts reach to the next token; what the tokenizer passed over in silence is hidden."""
        whole: list[Token] = []
        at = 0
        for token in [*self.found, Token(Kind.HIDDEN, "", (), len(self._source), 0)]:
            last = whole[-1] if whole else None
            if last is not None and last.kind in (Kind.TEXT, Kind.HIDDEN):
                last.end = token.start
            elif at < token.start:
                whole.append(Token(Kind.HIDDEN, "", (), at, token.start))
            whole.append(token)
            at = token.end
        self.found = whole[:-1]

    def updatepos(self, i: int, j: int) -> int:
        self._at = j
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open(tag, attrs, self_closing=False)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open(tag, attrs, self_closing=True)

    def handle_endtag(self, tag: str) -> None:
        start = self._at
        end = self._source.find(">", start) + 1 or len(self._source)
        self.found.append(Token(Kind.CLOSE, tag, (), start, end))

    def handle_data(self, data: str) -> None:
        if not self.found or self.found[-1].kind is not Kind.TEXT:
            self._add(Kind.TEXT)

    def handle_comment(self, data: str) -> None:
        self._add(Kind.HIDDEN)

    def handle_decl(self, decl: str) -> None:
        self._add(Kind.HIDDEN)

    def handle_pi(self, data: str) -> None:
        self._add(Kind.HIDDEN)

    def unknown_decl(self, data: str) -> None:
        self._add(Kind.HIDDEN)

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        return self.parse_bogus_comment(i)  # what the base class does is SGML, and it raises

    def _add(self, kind: Kind) -> None:
        start = self._at
        self.found.append(Token(kind, "", (), start, start))

    def _open(self, tag: str, attrs: list[tuple[str, str | None]], *, self_closing: bool) -> None:
        start = self._at
        end = start + len(self.get_starttag_text() or "")
        self.found.append(Token(Kind.OPEN, tag, attrs, start, end, self_closing))


def require_sane(content: bytes, path: str) -> None:
    """Raises PageFault for a page that is too large to be taken apart."""
    if len(content) > MAX_PAGE_BYTES:
        raise PageFault(
            f"{path}: {len(content)} bytes; pages above {MAX_PAGE_BYTES} are not taken apart.",
            "Split the page into chapters.",
        )


def decode_utf8(content: bytes, path: str) -> str:
    """The text of a page that is to be written again. Raises PageFault for another encoding."""
    require_sane(content, path)
    declared = _declared(content)
    try:
        text = content.decode()
    except UnicodeDecodeError as exc:
        raise PageFault(
            f"{path}: not UTF-8 (byte {exc.start}, declared: {declared or 'nothing'}).",
            "Convert the file to UTF-8 first, and its <meta charset> with it.",
        ) from None
    if declared not in (None, "utf-8") and not text.isascii():
        raise PageFault(
            f"{path}: it declares {declared}, and its bytes are UTF-8.",
            "Correct its <meta charset> to utf-8 first.",
        )
    return text


def _declared(content: bytes) -> str | None:
    found = _CHARSET.search(content[:_PRESCAN])
    if not found:
        return None
    label = found[1].decode("ascii", "replace").lower()
    try:
        return codecs.lookup(_LABELS.get(label, label)).name
    except LookupError:
        return label


class LineNumbers:
    """Line numbers of offsets, counted from 1."""

    def __init__(self, source: str) -> None:
        self._ends = [found.end() for found in re.finditer(r"\r\n|\n|\r", source)]

    def at(self, offset: int) -> int:
        return bisect_right(self._ends, offset) + 1


_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""", re.DOTALL
)


def attribute_values(source: str, token: Token) -> Iterator[tuple[str, int, int]]:
    """Name in lower case, start and end of the value, of each attribute of a start tag."""
    start = token.start + 1 + len(token.name)
    for found in _ATTRIBUTE.finditer(source, start, token.end):
        group = next((group for group in (2, 3, 4) if found[group] is not None), None)
        if group is not None:
            yield found[1].lower(), *found.span(group)
