"""update_search_index: bring a site's search up to date."""

from pydantic import Field

from devloop_tools.domain.documents.search_index import SearchIndex, SearchIndexUpdated
from devloop_tools.domain.documents.site import SiteName
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class UpdateSearchIndexInput(ToolInput):
    site: SiteName = Field(description="Which site.")


@tool(WRITE)
def update_search_index(
    args: UpdateSearchIndexInput, ctx: ToolContext
) -> SearchIndexUpdated | Refused:
    """Bring the search of a site up to what its pages say; only changed pages are read again.

    Call it after you have written chapters. It writes assets/search-index.json for programs and
    the same as scripts in assets/search/ for the page, which searches without a server. Pages
    that can't be read are named in notes. Returns counts of pages, sections and pages read.
    """
    return SearchIndex(ctx.workspace, args.site).update(ctx.progress.report)
