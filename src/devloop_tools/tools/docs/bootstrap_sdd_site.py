"""bootstrap_sdd_site: make the SDD site."""

from pydantic import Field

from devloop_tools.domain.documents.site import MAX_CHAPTERS
from devloop_tools.domain.documents.site_store import PlannedUnit, SiteMade, SiteStore
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class BootstrapSddSiteInput(ToolInput):
    title: str = Field(min_length=1, max_length=200, description="The site's title.")
    units: list[PlannedUnit] = Field(
        max_length=MAX_CHAPTERS, description="The units, in the order of the site."
    )
    language: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length=35,
        description="The language of the pages; without it, that of the titles.",
        examples=["zh-CN", "en"],
    )


@tool(WRITE)
def bootstrap_sdd_site(args: BootstrapSddSiteInput, ctx: ToolContext) -> SiteMade | Refused:
    """Make the SDD site in sdd/: index, units.json, and an empty page a unit in sdd/units/.

    Call it once the units are known, and again to add units: what was written since stays.
    depends_on must name units of the site and must not go in a circle. Returns the files that it
    created, updated and kept as they were; notes name what of the plan is otherwise in units.json
    and stayed so: change it there.
    """
    return SiteStore(ctx.workspace, ctx.origin, ctx.events).bootstrap_sdd(
        args.title, args.units, language=args.language
    )
