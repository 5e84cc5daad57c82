"""Expressions that both languages write alike. `reader` and `depth` are those of any expression."""

from devloop_tools.domain.source.syntax import Expression, Name, Number, Opaque
from devloop_tools.domain.source.tree import Node, text_of

MAX_DIGITS = 20
"""No status, count or key is longer; Python reads no number of more than 4,300 digits."""


def number(reader: object, node: Node, depth: int) -> Expression:
    """A whole number in decimal, with or without `_` between its digits."""
    text = text_of(node).replace("_", "")
    is_read = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return Number(int(text)) if is_read else Opaque()


def name(reader: object, node: Node, depth: int) -> Expression:
    """What a name stands for is asked later."""
    return Name(text_of(node))


def null(reader: object, node: Node, depth: int) -> Expression:
    """`None`, `null` and `undefined`."""
    return Opaque(is_null=True)
