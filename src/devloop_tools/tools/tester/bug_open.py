"""bug_open: report a failure, once however often it is seen."""

from pydantic import Field

from devloop_tools.domain.bugs.records import (
    MAX_EVIDENCE,
    MAX_TEXT,
    MAX_TITLE,
    BugOpened,
    Category,
    Evidence,
    Report,
    Severity,
)
from devloop_tools.domain.bugs.store import BugStore
from devloop_tools.domain.running.names import UnitId
from devloop_tools.toolkit import WRITE, ToolContext, ToolInput, tool


class BugOpenInput(ToolInput):
    title: str = Field(
        min_length=1,
        max_length=MAX_TITLE,
        pattern=r"\S",
        description="What goes wrong, in one line.",
        examples=["POST /todos answers 500 for an empty title"],
    )
    severity: Severity = Field(description="blocker: nobody can go on; minor: it can wait.")
    unit_id: UnitId | None = Field(
        default=None, description="The unit that fails; your own one if you leave it out."
    )
    expected: str = Field(min_length=1, max_length=MAX_TEXT, description="What should happen.")
    actual: str = Field(
        min_length=1, max_length=MAX_TEXT, description="What happens, with the error's own words."
    )
    steps: str | None = Field(
        default=None, max_length=MAX_TEXT, description="How anybody can make it happen."
    )
    evidence: list[Evidence] = Field(
        default_factory=list, max_length=MAX_EVIDENCE, description="Quotes, the telling one first."
    )
    category: Category | None = Field(default=None, description="Leave it out unless you know.")


@tool(WRITE)
def bug_open(args: BugOpenInput, ctx: ToolContext) -> BugOpened:
    """Open a bug for a failure that you have seen, and get its id (BUG-0001).

    Report it as often as you see it: the same title, unit, first quoted file, expectation and
    outcome add an occurrence to the bug that is open for it (deduplicated: true), and a worse
    severity counts. What changes from run to run (times, ids, ports, line numbers) is ignored. If
    the earlier bug is finished, a new one is opened and previous names the earlier one. For a
    failure in other words call find_similar_bug first.
    """
    report = Report(**{**dict(args), "unit_id": args.unit_id or ctx.unit_id})
    return BugStore(ctx.origin, ctx.database, ctx.events).open(report)
