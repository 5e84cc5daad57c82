"""What a chapter's author wrote, made into sections and headings that links can lead to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devloop_tools.domain.html.anchors import Anchors, is_usable, slug
from devloop_tools.domain.html.pieces import new_element, parse_fragment, serialized, text_of
from devloop_tools.domain.html.tree import children

if TYPE_CHECKING:  # see html.pieces
    from selectolax.lexbor import LexborNode

_HEADINGS = "h2, h3, h4, h5, h6"
_OPENING = "intro"
_TITLE_PREFIX = "h-"
"""A section has the id that links lead to; its heading has the same one with this before it."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Clean HTML for an article or section, and the text of the h1 that it began with."""

    markup: str
    title: str | None
    begins_with_heading: bool


def sections_of(clean: str, taken: Iterable[str]) -> Fragment:
    """`clean` as a row of sections, one for each h2; what stands before it has one of its own."""
    tree = parse_fragment(clean)
    title = _lower_h1(tree)
    anchors = Anchors(taken)
    _claim_own(tree, anchors)
    parts = [_section(group, anchors) for group in _groups(tree)]
    return Fragment("\n".join(parts), title, begins_with_heading=True)


def content_of(clean: str, taken: Iterable[str]) -> Fragment:
    """`clean` as the inside of one section; a `section` around all of it is taken off."""
    tree = parse_fragment(clean)
    title = _lower_h1(tree)
    anchors = Anchors(taken)
    nodes = list(children(tree))
    solid = [node for node in nodes if not _is_blank(node)]
    if len(solid) == 1 and solid[0].tag == "section":
        nodes = list(children(solid[0]))
        solid = [node for node in nodes if not _is_blank(node)]
    _claim_own(tree, anchors)
    begins = bool(solid) and solid[0].tag in _HEADINGS.split(", ")
    _name_headings(nodes, anchors, of_section=solid[0] if begins else None)
    return Fragment("".join(map(serialized, nodes)).strip("\n"), title, begins)


def _lower_h1(tree: "LexborNode") -> str | None:
    """The page has its own h1: the first one of the text is the title, the others become h2."""
    first: str | None = None
    for index, node in enumerate(tree.css("h1")):
        if index == 0 and first is None and _is_first(node):
            first = text_of(node)
            node.decompose()
            continue
        lowered = new_element("h2")
        lowered.inner_html = node.inner_html or ""
        if found := node.attributes.get("id"):
            lowered.attrs["id"] = found
        node.replace_with(lowered)
    return first


def _is_first(node: "LexborNode") -> bool:
    before = node.prev
    while before is not None and _is_blank(before):
        before = before.prev
    return before is None and (node.parent is None or node.parent.tag != "section")


def _claim_own(tree: "LexborNode", anchors: Anchors) -> None:
    """Ids that the author wrote come first; one that is taken or unusable is numbered or goes."""
    for node in tree.css("[id]"):
        found = node.attributes.get("id")
        if found is not None and is_usable(found):
            node.attrs["id"] = anchors.claim(found)
        else:
            del node.attrs["id"]


def _groups(tree: "LexborNode") -> Iterator[list["LexborNode"]]:
    group: list[LexborNode] = []
    for node in children(tree):
        if node.tag in ("h2", "section") and group:
            yield group
            group = []
        if node.tag == "section":
            yield [node]
        elif group or not _is_blank(node):
            group.append(node)
    if group:
        yield group


def _section(group: list["LexborNode"], anchors: Anchors) -> str:
    own = group[0] if group[0].tag == "section" else None
    nodes = list(children(own)) if own is not None else group
    heading = _first_heading(nodes)
    anchor = own.attributes.get("id") if own is not None else None
    anchor = anchor or anchors.claim(slug(text_of(heading)) if heading is not None else _OPENING)
    _name_headings(nodes, anchors, of_section=heading)
    section = new_element("section")
    for name, value in (own.attributes if own is not None else {}).items():
        section.attrs[name] = value or ""
    section.attrs["id"] = anchor
    opening = serialized(section).removesuffix("</section>")
    inside = "".join(map(serialized, nodes)).strip("\n")
    return f"{opening}\n{inside}\n</section>"


def _first_heading(nodes: list["LexborNode"]) -> "LexborNode | None":
    for node in nodes:
        if not node.is_element_node:
            continue
        if node.tag in _HEADINGS.split(", "):
            return node
        if (found := node.css_first(_HEADINGS)) is not None:
            return found
    return None


def _name_headings(
    nodes: list["LexborNode"], anchors: Anchors, of_section: "LexborNode | None"
) -> None:
    for node in nodes:
        if not node.is_element_node:
            continue
        found = [node] if node.tag in _HEADINGS.split(", ") else node.css(_HEADINGS)
        for heading in found:
            if heading.attributes.get("id"):
                continue
            prefix = _TITLE_PREFIX if of_section is not None and heading == of_section else ""
            heading.attrs["id"] = anchors.claim(prefix + slug(text_of(heading)))


def _is_blank(node: "LexborNode") -> bool:
    return node.is_comment_node or (node.is_text_node and not (node.text_lexbor() or "").strip())
