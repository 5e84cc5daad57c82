"""Markdown to HTML, through markdown-it-py, which is loaded when first needed."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # start-up must not pay for it
    from markdown_it import MarkdownIt


def markdown_to_html(text: str) -> str:
    """CommonMark with tables and strikethrough; HTML in it passes, to be sanitised."""
    return str(_renderer().render(text))


@cache
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
