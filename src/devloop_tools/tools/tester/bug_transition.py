"""bug_transition: move a bug one step on."""

from pydantic import Field

from devloop_tools.domain.bugs.records import BugId, BugMoved, ChangedFields, IllegalStep
from devloop_tools.domain.bugs.states import Status
from devloop_tools.domain.bugs.store import BugStore
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class BugTransitionInput(ToolInput):
    id: BugId
    to: Status = Field(description="Where the bug stands from now on.")
    reason: str = Field(
        min_length=1, max_length=4000, pattern=r"\S", description="Why; people read it later."
    )
    fields: ChangedFields = Field(
        default_factory=ChangedFields, description="What else changes with this step."
    )


@tool(WRITE)
def bug_transition(args: BugTransitionInput, ctx: ToolContext) -> BugMoved | IllegalStep | Refused:
    """Move a bug one step: open, triaged, assigned, fixing, fixed, verified, closed.

    Aside from that way: reopened from fixed or later, and until it is fixed duplicate (with
    fields.duplicate_of), wontfix or cannot_reproduce. A step that isn't legal changes nothing and
    names the legal ones. Every step is kept with who, when and why (bug_list with the bug's id
    shows them). Returns the new status and the steps that are legal from there.
    """
    store = BugStore(ctx.origin, ctx.database, ctx.events)
    return store.move(args.id, args.to, args.reason, args.fields)
