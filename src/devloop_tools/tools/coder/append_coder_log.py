"""append_coder_log: one line on what was built, and why."""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.coder_log import CoderLog, CoderLogAppended
from devloop_tools.domain.timeline import Level
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class AppendCoderLogInput(ToolInput):
    entry: str = Field(
        min_length=1, max_length=4000,
        description="What you did and why, for whoever reads the code later.",
        examples=["Reject titles above 200 characters: the contract's maxLength."],
    )  # fmt: skip
    files_changed: list[Annotated[str, Field(min_length=1, max_length=1024)]] = Field(
        default_factory=list, max_length=500,
        description="The files, relative to the project folder.",
        examples=[["units/todo-be/src/app.py"]],
    )  # fmt: skip
    contract_hash: str | None = Field(
        default=None, pattern="^sha256:[0-9a-f]{64}$",
        description="The contract you built against, as hash_contract gave it.",
        examples=["sha256:" + "0" * 64],
    )  # fmt: skip
    level: Level = Field(default=Level.INFO, description="How much it matters.")


@tool(WRITE)
def append_coder_log(args: AppendCoderLogInput, ctx: ToolContext) -> CoderLogAppended | Refused:
    """Add a line to your unit's log, units/{unit_id}/coder-log.ndjson.

    Write one for each change that another person would ask about: what, why, which files, and
    the hash of the contract you built against. A hash that isn't the present contract's is logged
    as it is and warned about: the contract changed since you read it. Returns path and warnings.
    """
    return CoderLog(ctx.workspace, ctx.origin, ctx.events).append(
        args.entry,
        files_changed=args.files_changed,
        contract_hash=args.contract_hash,
        level=args.level,
    )
