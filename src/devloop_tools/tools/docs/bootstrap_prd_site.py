"""bootstrap_prd_site: make the PRD site."""

from pydantic import Field

from devloop_tools.domain.documents.site import MAX_CHAPTERS
from devloop_tools.domain.documents.site_store import PlannedChapter, SiteMade, SiteStore
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class BootstrapPrdSiteInput(ToolInput):
    title: str = Field(min_length=1, max_length=200, description="The site's title.")
    chapters: list[PlannedChapter] = Field(
        max_length=MAX_CHAPTERS, description="The chapters, in the order of the site."
    )
    language: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length=35,
        description="The language of the pages; without it, that of the titles.",
        examples=["zh-CN", "en"],
    )
    overwrite: bool = Field(
        default=False,
        description="Also replace pages that were written since; each is archived before.",
    )


@tool(WRITE)
def bootstrap_prd_site(args: BootstrapPrdSiteInput, ctx: ToolContext) -> SiteMade | Refused:
    """Make the PRD site in prd/: index, an empty page a chapter, sidebar, search and styles.

    Call it once at the start, and again to add chapters: it adds what is missing and leaves alone
    whatever was written since, unless overwrite is true. Fill the chapters with write_chapter.
    Returns the files that it created, updated and kept as they were; notes name what of the
    plan is otherwise in the site and stayed so.
    """
    return SiteStore(ctx.workspace, ctx.origin, ctx.events).bootstrap_prd(
        args.title, args.chapters, language=args.language, overwrite=args.overwrite
    )
