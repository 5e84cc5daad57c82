"""Pages about agents in a PRD site (`agents-pm.html`), and the system prompt that each holds."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devloop_tools.domain.html.to_markdown import markdown_of
from devloop_tools.domain.html.tree import read_tree
from devloop_tools.settings import is_id

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_NAME = re.compile(r"agents-(.+)\.html")

_PARTS = "header.page-head h1, header.page-head .deck, article.body"
"""What of a page's anatomy says something to an agent; the rest is the site's frame."""

_SKIPPED = (
    *("script", "style", "template", "noscript", "svg", "canvas", "iframe", "video", "audio"),
    *("object", "form", "button", "nav", "aside"),
)
"""Elements that say nothing in a prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A page as Markdown; `skipped` names the elements that were left out, with their number."""

    markdown: str
    skipped: dict[str, int]
    note: str = ""


def agent_of(file_name: str) -> str | None:
    """The agent that a page of this name is about, or None if it is about none."""
    found = _NAME.fullmatch(file_name)
    return found[1] if found and is_id(found[1]) else None


def prompt_in(content: bytes, path: str) -> Prompt:
    """The prompt in the page at `path`; empty if there is no text in it. Raises ExpectedFailure.

    A page of another anatomy gives the content of its main element, else of its body.
    """
    page = read_tree(content, path)
    skipped: Counter[str] = Counter()
    parts = _parts(page.tree)
    html = []
    for part in parts:
        for node in part.css(", ".join(_SKIPPED)):
            # One inside another went with it.
            if node.parent is not None:
                skipped[node.tag or ""] += 1
                node.decompose()
        if part.text(strip=True):
            html.append(part.html or "")
    markdown = markdown_of("\n".join(html)) if html else ""
    return Prompt(markdown, dict(skipped), page.note)


def _parts(tree: "LexborHTMLParser") -> "list[LexborNode]":
    for selector in (_PARTS, "main", "body"):
        if found := tree.css(selector):
            return found
    return []
