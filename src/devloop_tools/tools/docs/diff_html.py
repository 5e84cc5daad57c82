"""diff_html: what changed between two pages, or two states of one."""

from pydantic import Field

from devloop_tools.domain.documents.html_diff import HtmlDiff, diff_pages
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class DiffHtmlInput(ToolInput):
    before: str = Field(
        min_length=1, max_length=1024, description="A page's path, or an archive id.",
        examples=["prd/login.html"],
    )  # fmt: skip
    after: str | None = Field(
        default=None, min_length=1, max_length=1024,
        description="The page to compare with: a path or an archive id.",
        examples=["prd/login-v2.html"],
    )  # fmt: skip
    context: int = Field(
        default=1, ge=0, le=20, description="Unchanged blocks to show around a change in unified."
    )


@tool(READ)
def diff_html(args: DiffHtmlInput, ctx: ToolContext) -> HtmlDiff | Refused:
    """Compare two HTML pages block by block, as a reader sees them.

    Blocks are headings, paragraphs, list items, table rows, code. Each was added, removed, moved
    or changed; changed ones tell the words, table rows the cells. White space that isn't seen, the
    order of attributes and the spelling of entities make no difference. Without after, an
    archived copy is compared with its page as it is now, and a page with its newest copy.
    Returns counts, one hunk a block with its section, and unified, one text to read, in which
    lines begin with + added, - removed, > moved, ~ changed. Changes nothing.
    """
    return diff_pages(ctx.workspace, args.before, args.after, args.context)
