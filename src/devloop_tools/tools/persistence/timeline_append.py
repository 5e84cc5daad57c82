"""timeline_append: add one event to the project's timeline."""

from pydantic import Field

from devloop_tools.domain.timeline import MAX_SUMMARY, Level, TimelineAppended
from devloop_tools.toolkit import WRITE, FreeObject, Refused, ToolContext, ToolInput, tool


class TimelineAppendInput(ToolInput):
    event: str = Field(
        min_length=1,
        max_length=120,
        description="What happened, as a dotted name.",
        examples=["unit.built"],
    )
    summary: str = Field(
        default="", max_length=MAX_SUMMARY, description="One or two sentences for a person."
    )
    data: FreeObject | None = Field(default=None, description="Facts for a program.")
    level: Level = Field(default=Level.INFO, description="How much it matters.")


@tool(WRITE)
def timeline_append(args: TimelineAppendInput, ctx: ToolContext) -> TimelineAppended | Refused:
    """Add one event to the project's timeline, which all agents and people read.

    Use it for what others should know: a decision, a result, a change of plan. Returns the
    event's sequence number.
    """
    return ctx.timeline.append(args.event, summary=args.summary, data=args.data, level=args.level)
