"""bug_list: find bugs, newest first."""

from pydantic import Field

from devloop_tools.domain.bugs.listing import BugShelf, BugsListed, Filter
from devloop_tools.domain.bugs.records import BugId, Category, Severity
from devloop_tools.domain.bugs.states import Status
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class BugListInput(ToolInput):
    id: BugId | None = None
    status: Status | None = Field(default=None, description="Where it stands.")
    unit_id: str | None = Field(
        default=None, min_length=1, max_length=64, description="The unit where it belongs."
    )
    severity: Severity | None = Field(default=None, description="How bad it is.")
    category: Category | None = Field(default=None, description="What kind of fault it is.")
    text: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Words that all stand in its id, title, texts or evidence.",
        examples=["登录 timeout"],
    )
    limit: int = Field(default=20, ge=1, le=100, description="At most so many.")
    cursor: BugId | None = Field(
        default=None, description="next_cursor of the page before, to read on."
    )


@tool(READ)
def bug_list(args: BugListInput, ctx: ToolContext) -> BugsListed:
    """List the project's bugs, newest first, all or those that fit every filter you give.

    Each comes with its status, the steps that are legal from there (see bug_transition), and its
    texts, cut if they are long. With id you get that bug whole, with its history and the times it
    was seen. To read on, send next_cursor as cursor; bugs opened meanwhile shift nothing.
    """
    wanted = Filter(**{name: getattr(args, name) for name in Filter.model_fields})
    return BugShelf(ctx.database).page(wanted, limit=args.limit, cursor=args.cursor)
