"""hint_builder: from failures to where to look, in a few lines."""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.hints.given import failures_given
from devloop_tools.domain.hints.hints import hints
from devloop_tools.toolkit import READ, FreeObject, ToolContext, ToolInput, tool

ReportText = Annotated[str, Field(max_length=4_000_000)]


class HintBuilderInput(ToolInput):
    report: FreeObject | ReportText | None = Field(
        default=None, description="What parse_vitest returned, or the path or text of a report.",
        examples=["units/todo-be/report.json"],
    )  # fmt: skip
    failures: list[FreeObject] | None = Field(
        default=None, max_length=500, description="Instead: failures as parse_vitest lists them.",
        examples=[[{"full_name": "cart > adds", "file": "test/cart.test.ts", "line": 12}]],
    )  # fmt: skip
    unit_id: str | None = Field(
        default=None, min_length=1, max_length=64,
        description="The unit whose code and contract count. Default: that of the failures.",
        examples=["todo-be"],
    )  # fmt: skip
    max_hints: int = Field(default=5, ge=1, le=10, description="Most causes that are told.")


@tool(READ)
def hint_builder(args: HintBuilderInput, ctx: ToolContext) -> str:
    """Turn a test run's failures into hints for the coder, at most 1,200 characters in all.

    Failures of one likely cause make one hint, the one that explains most first: the function to
    look at (by what failing tests reach and passing ones don't, and by the stack), what was
    expected and what came, what the unit's contract says of it, the likely cause, and what to
    read and run next. Up to three functions are named where the code can't tell them apart. In
    Chinese where the tests or the contract are. Give report or failures. Changes nothing.
    """
    found = failures_given(ctx.workspace, args.report, args.failures)
    return hints(ctx.workspace, found, args.unit_id, args.max_hints)
