"""Finds tags that are not closed, closed twice or closed in the wrong order.

Where the standard lets an end tag be left out, nothing is missing; but an end tag that then comes
too late shows that the author meant otherwise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from devloop_tools.domain.html.markup import OPTIONAL_END, VOID, Kind, Token

_ENDS_P = frozenset(
    """address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2
    h3 h4 h5 h6 header hr main menu nav ol p pre section table ul""".split()
)
_ENDS = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr", "tbody", "tfoot", "thead"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "thead": frozenset({"tbody", "tfoot"}),
    "tbody": frozenset({"tbody", "tfoot"}),
    "option": frozenset({"option", "optgroup"}),
    "colgroup": frozenset({"tr", "tbody", "thead"}),
    "head": frozenset({"body"}),
    "p": _ENDS_P,
}
"""Which start tags end an element whose end tag is left out (HTML, 13.1.2.4)."""

_FOREIGN = frozenset({"svg", "math"})


class Fault(StrEnum):
    UNCLOSED = "unclosed-tag"
    MISNESTED = "misnested-tag"
    STRAY = "stray-end-tag"


@dataclass(frozen=True, slots=True)
class TagFault:
    """A fault at `token`; `other` is the tag that got in its way, if one did."""

    fault: Fault
    token: Token
    other: Token | None = None


def tag_faults(found: Sequence[Token]) -> Iterator[TagFault]:
    """Every fault, by no certain order."""
    balance = _Balance()
    for token in found:
        if token.kind is Kind.OPEN:
            balance.open(token)
        elif token.kind is Kind.CLOSE:
            yield from balance.close(token)
    yield from balance.end()


class _Balance:
    """The open elements, and those that something else closed."""

    def __init__(self) -> None:
        self._open: list[Token] = []
        self._foreign = 0
        self._lost: dict[str, list[tuple[Token, Token]]] = {}
        self._implied: dict[str, tuple[Token, Token, Token | None]] = {}

    def open(self, token: Token) -> None:
        while self._open and token.name in _ENDS.get(self._open[-1].name, ()):
            ended = self._open.pop()
            self._implied[ended.name] = (ended, token, self._parent)
        if token.name in VOID or (token.self_closing and (self._foreign or _is_foreign(token))):
            return
        self._foreign += _is_foreign(token)
        self._open.append(token)

    def close(self, token: Token) -> Iterator[TagFault]:
        name = token.name
        if not any(opened.name == name for opened in self._open):
            yield from self._stray(token)
            return
        while self._open[-1].name != name:
            passed = self._pop()
            if passed.name not in OPTIONAL_END:
                self._lost.setdefault(passed.name, []).append((passed, token))
        self._pop()

    def end(self) -> Iterator[TagFault]:
        for token in self._open:
            if token.name not in OPTIONAL_END:
                yield TagFault(Fault.UNCLOSED, token)
        for pairs in self._lost.values():
            for token, closer in pairs:
                yield TagFault(Fault.UNCLOSED, token, closer)

    def _stray(self, token: Token) -> Iterator[TagFault]:
        if lost := self._lost.get(token.name):
            opened, closer = lost.pop()
            yield TagFault(Fault.MISNESTED, opened, closer)
        elif (implied := self._implied.get(token.name)) and implied[2] is self._parent:
            del self._implied[token.name]
            yield TagFault(Fault.UNCLOSED, implied[0], implied[1])
        elif token.name not in VOID:
            yield TagFault(Fault.STRAY, token)

    @property
    def _parent(self) -> Token | None:
        return self._open[-1] if self._open else None

    def _pop(self) -> Token:
        token = self._open.pop()
        self._foreign -= _is_foreign(token)
        return token


def _is_foreign(token: Token) -> bool:
    return token.name in _FOREIGN
