"""validate_sdd_consistency: find where the design contradicts itself."""

from devloop_tools.domain.documents.design_validation import DesignValidator
from devloop_tools.domain.documents.findings import SiteValidated
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class ValidateSddConsistencyInput(ToolInput):
    pass


@tool(READ)
def validate_sdd_consistency(
    args: ValidateSddConsistencyInput, ctx: ToolContext
) -> SiteValidated | Refused:
    """Check the design before units are built from it, and after each change to a contract.

    It finds hashes in units.json that are not those of the pages, dependencies that are unknown
    or go in a circle, references to chapters or anchors that the PRD lacks, contracts that are
    malformed, of another unit or missing, endpoints and names that stand twice, types that nobody
    defines, units that are used ($ref, uses, {{unit.ID.url}}, {{port.ID}}) without being declared
    in units.json and depends_on, and in the pages all that validate_prd_site finds. Returns
    passed, counts by code, and findings with code, severity, page, line, message and fix.
    """
    return DesignValidator(ctx.workspace).validate(ctx.progress.report)
