"""update_runtime_state: keep what the agent is doing where others can see it."""

from pydantic import Field

from devloop_tools.domain.runtime_state import RuntimeStateUpdated, VersionConflict
from devloop_tools.toolkit import WRITE, FreeObject, Refused, ToolContext, ToolInput, tool


class UpdateRuntimeStateInput(ToolInput):
    patch: FreeObject = Field(
        description="What to change: values replace, objects merge, null removes (RFC 7396).",
        examples=[{"phase": "testing", "blocked_by": None}],
    )
    expected_version: int | None = Field(
        default=None, ge=0, description="Refuse the patch if the state has another version."
    )


@tool(WRITE)
def update_runtime_state(
    args: UpdateRuntimeStateInput, ctx: ToolContext
) -> RuntimeStateUpdated | VersionConflict | Refused:
    """Change your runtime state, a JSON object that other agents and people read.

    The patch is a JSON Merge Patch: it changes the fields it names and leaves the others. Send
    expected_version if you decided by an earlier state; if it is no longer the present one,
    nothing is written and you get the present state. Returns the new version and state; an empty
    patch is the way to read them.
    """
    return ctx.runtime_state.patch(args.patch, args.expected_version)
