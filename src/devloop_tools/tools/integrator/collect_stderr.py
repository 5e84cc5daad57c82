"""collect_stderr: what a unit wrote to stderr, made short."""

from pydantic import Field

from devloop_tools.domain.running.names import UnitId
from devloop_tools.domain.running.stderr_reading import StderrCollected, StderrReading
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class CollectStderrInput(ToolInput):
    unit_id: UnitId = Field(description="The unit, running or ended.")
    tail: int = Field(default=200, ge=0, le=2000, description="At most so many of the last lines.")
    since: str | None = Field(
        default=None,
        max_length=40,
        description="Only what came after this time; until of an earlier answer is one.",
        examples=["2026-11-30T20:15:00.000Z"],
    )
    grep: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Only lines with this text; it is no pattern, and case doesn't count.",
    )


@tool(READ)
def collect_stderr(args: CollectStderrInput, ctx: ToolContext) -> StderrCollected | Refused:
    """Read what a unit wrote to stderr in its last run.

    Terminal codes are gone, paths of the project are relative, secrets are masked, and lines that
    repeat are folded with their number.
    traces lists each stack trace of Python, V8 or the JVM once, with its count, the most frequent
    first. dropped_bytes is what the bounded log no longer holds. since may bring up to a second of
    lines again, and loses none.
    """
    reading = StderrReading(ctx.workspace, ctx.units)
    return reading.collect(args.unit_id, tail=args.tail, since=args.since, grep=args.grep)
