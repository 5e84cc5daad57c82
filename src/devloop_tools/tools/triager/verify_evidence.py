"""verify_evidence: see whether quotes still stand where they are said to stand."""

from pydantic import Field

from devloop_tools.domain.bugs.records import MAX_EVIDENCE, Evidence
from devloop_tools.domain.evidence.verify import EvidenceVerified, verify
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class VerifyEvidenceInput(ToolInput):
    evidence: list[Evidence] = Field(
        min_length=1, max_length=MAX_EVIDENCE, description="The quotes to look up."
    )


@tool(READ)
def verify_evidence(args: VerifyEvidenceInput, ctx: ToolContext) -> EvidenceVerified:
    """Hold quotes against the files as they are now, before you rely on them.

    Each gets a verdict: exact (it stands at its line), moved (it stands at the line that is
    returned), changed (something else stands there; now says what) or missing (the file or the
    line is gone; reason says which). White space doesn't count, and a part of a line will do.
    verified is true if all are exact or moved.
    """
    return verify(ctx.workspace, args.evidence)
