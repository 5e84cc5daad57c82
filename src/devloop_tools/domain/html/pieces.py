"""Pieces of HTML as a tree that is changed and written again; `html.tree` reads whole pages."""

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # selectolax is heavy: start-up must not pay for it
    from selectolax.lexbor import LexborNode

_EATEN_NEWLINE = re.compile(r"(<(?:pre|textarea|listing)\b[^>]*>)\n")


def parse_fragment(source: str) -> "LexborNode":
    """An element around balanced HTML; lexbor reads the first node of a bare fragment as all."""
    from selectolax.lexbor import LexborHTMLParser

    around = LexborHTMLParser(f"<main>{source}</main>", is_fragment=True).css_first("main")
    assert around is not None
    return around


def new_element(name: str) -> "LexborNode":
    """An empty element."""
    element = parse_fragment(f"<{name}></{name}>").first_child
    assert element is not None
    return element


def serialized(node: "LexborNode") -> str:
    """The node's HTML, such that parsing it gives the node again."""
    if node.is_text_node:
        text = html.escape(node.text_content or "", quote=False)
        return text.replace("\xa0", "&nbsp;")
    return faithful(node.html or "")


def faithful(markup: str) -> str:
    """`markup` from a serializer, with the first newline of `pre` that parsing takes away."""
    return _EATEN_NEWLINE.sub(r"\1\n\n", markup)


def text_of(node: "LexborNode") -> str:
    """All text below the node, blanks joined."""
    return " ".join((node.text_lexbor() or "").split())
