"""validate_prd_site: find what is wrong with the PRD site."""

from pydantic import Field

from devloop_tools.domain.documents.findings import SiteValidated
from devloop_tools.domain.documents.site import SiteName
from devloop_tools.domain.documents.validation import SiteValidator
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class ValidatePrdSiteInput(ToolInput):
    strict: bool = Field(default=False, description="Let warnings fail the site too.")


@tool(READ)
def validate_prd_site(args: ValidatePrdSiteInput, ctx: ToolContext) -> SiteValidated | Refused:
    """Check the PRD site before others build on it, and after larger changes.

    It finds broken links and anchors, missing assets, duplicate ids, orphan pages, an order other
    than site.json's, unclosed or misnested tags, placeholders left behind, images without alt,
    links that run scripts, assets from outside, and a search index that is behind. Returns passed,
    counts by code, and findings with code, severity, page, line, message and fix, errors first.
    """
    return SiteValidator(ctx.workspace, SiteName.PRD).validate(
        ctx.progress.report, strict=args.strict
    )
