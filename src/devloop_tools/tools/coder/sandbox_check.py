"""sandbox_check: may you read or write there?"""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.path_checks import PathOperation, PathsChecked, check_paths
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class SandboxCheckInput(ToolInput):
    paths: list[Annotated[str, Field(max_length=5000)]] = Field(
        min_length=1, max_length=200,
        description="Relative to the project folder, or absolute. They need not exist.",
        examples=[["units/todo-be/src/app.py", "../other/file"]],
    )  # fmt: skip
    operation: PathOperation = Field(description="What you want to do there.")


@tool(READ)
def sandbox_check(args: SandboxCheckInput, ctx: ToolContext) -> PathsChecked:
    """Ask whether you may read or write paths, instead of finding out by a refusal.

    The verdict is the one that your Read, Write and Edit get: links are followed, and both the
    path as written and the place it leads to must be allowed. Each path comes back with allowed,
    resolved (where it leads), rule (which one decided) and, where it is refused, the reason.
    The field allowed on top is true if all are. What Bash does is judged apart from this.
    """
    return check_paths(ctx.workspace, args.paths, args.operation)
