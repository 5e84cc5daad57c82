"""Markdown to HTML, through markdown-it-py, which is loaded when first needed."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from devloop_tools.domain.html.markup import PageFault

if TYPE_CHECKING:  # start-up must not pay for it
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_WIDE = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Characters of scripts that put no blank between words (Korean does)."""


MAX_LEVELS = 101
"""Each list takes two levels, each quote one, their text one; what is deeper isn't parsed."""

_HOLDS_BLOCKS = frozenset({"blockquote_open", "list_item_open"})


def markdown_to_html(text: str, field: str) -> str:
    """CommonMark with tables and strikethrough; HTML in it passes, to be sanitised.

    Raises PageFault, which names the field, where it is nested too deep to be kept whole.
    """
    renderer, env = _renderer(), dict[str, Any]()
    tokens = renderer.parse(text.removeprefix("\ufeff"), env)
    if any(token.level >= MAX_LEVELS - 1 and token.type in _HOLDS_BLOCKS for token in tokens):
        raise PageFault(
            f"{field}: lists and quotes are nested deeper than {MAX_LEVELS // 2} levels.",
            "Make chapters or sections of the inner ones.",
        )
    return str(renderer.renderer.render(tokens, renderer.options, env))


@cache
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_LEVELS}).enable(
        ["table", "strikethrough"]
    )
    renderer.add_render_rule("softbreak", _line_end)
    return renderer


def _line_end(_self: Any, tokens: "Sequence[Token]", at: int, _options: Any, _env: Any) -> str:
    """A line end in the source; a browser shows a blank for it, which Chinese text doesn't have."""
    before = next((t.content for t in reversed(tokens[:at]) if t.content), "")
    after = next((t.content for t in tokens[at + 1 :] if t.content), "")
    return "" if _WIDE.match(before[-1:]) and _WIDE.match(after[:1]) else "\n"
