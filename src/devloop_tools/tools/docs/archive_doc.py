"""archive_doc: keep a page as it is."""

from pydantic import Field

from devloop_tools.domain.documents.archive import Archive, DocArchived
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class ArchiveDocInput(ToolInput):
    path: str = Field(
        min_length=1,
        max_length=1024,
        description="The file, relative to the project folder.",
        examples=["prd/login.html"],
    )
    reason: str = Field(min_length=1, max_length=500, description="Why it is kept.")


@tool(WRITE)
def archive_doc(args: ArchiveDocInput, ctx: ToolContext) -> DocArchived | Refused:
    """Keep a page of a site as it is, before you change it a lot or to compare with it later.

    The copy in {site}/_archive/ has the same bytes and is never written again; beside it lies a
    view for people, the same page with links that work from there. Pass archive_id to diff_html
    or echo_diff. The page itself stays where it is. Returns archive_id, path, view and hash.
    """
    return Archive(ctx.workspace, ctx.origin, ctx.events).keep(args.path, args.reason)
