"""diff_units: what changed in a design, and whose callers it breaks."""

from pydantic import Field

from devloop_tools.domain.documents.unit_diff import UnitsDiff, diff_units_between
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class DiffUnitsInput(ToolInput):
    before: str | None = Field(
        default=None, min_length=1, max_length=1024,
        description="A units.json, by path or archive id. Default: the newest archived copy.",
        examples=["sdd-v1/units.json"],
    )  # fmt: skip
    after: str | None = Field(
        default=None, min_length=1, max_length=1024,
        description="The units.json to compare with. Default: sdd/units.json.",
        examples=["sdd/units.json"],
    )  # fmt: skip


@tool(READ)
def diff_units(args: DiffUnitsInput, ctx: ToolContext) -> UnitsDiff | Refused:
    """Compare two states of the design: which units were added, removed, renamed or changed.

    For each contract that changed: its changes, whether each breaks callers, and the units that
    call it. Requests break where something is no longer accepted, responses where something may
    come that did not. Contracts are found in the units' pages beside units.json and, as they
    were, in archived copies of those pages: archive a page before you rewrite it. breaking is null
    for a contract that was not kept (see notes). Changes nothing.
    """
    return diff_units_between(ctx.workspace, args.before, args.after)
