"""Markdown to HTML, through markdown-it-py, which is loaded when first needed."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # start-up must not pay for it
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_WIDE = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Characters of scripts that put no blank between words (Korean does)."""


def markdown_to_html(text: str) -> str:
    """CommonMark with tables and strikethrough; HTML in it passes, to be sanitised."""
    return str(_renderer().render(text))


@cache
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    renderer.add_render_rule("softbreak", _line_end)
    return renderer


def _line_end(_self: Any, tokens: "Sequence[Token]", at: int, _options: Any, _env: Any) -> str:
    """A line end in the source; a browser shows a blank for it, which Chinese text doesn't have."""
    before = next((t.content for t in reversed(tokens[:at]) if t.content), "")
    after = next((t.content for t in tokens[at + 1 :] if t.content), "")
    return "" if _WIDE.match(before[-1:]) and _WIDE.match(after[:1]) else "\n"
