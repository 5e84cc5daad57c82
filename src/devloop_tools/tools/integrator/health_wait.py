"""health_wait: wait until units or addresses are ready."""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.running.health_wait import HealthChecked, HealthTarget, checked
from devloop_tools.toolkit import Annotations, Refused, ToolContext, ToolInput, tool

MAX_TARGETS = 50


class HealthWaitInput(ToolInput):
    targets: list[HealthTarget] = Field(
        min_length=1,
        max_length=MAX_TARGETS,
        description="What to wait for.",
        examples=[[{"unit_id": "todo-be"}]],
    )
    timeout_s: float = Field(
        default=30, gt=0, le=600, description="How long to wait for all of them, in seconds."
    )
    interval_ms: int = Field(
        default=200, ge=20, le=10_000, description="Between two attempts, in milliseconds."
    )
    expect_status: list[Annotated[int, Field(ge=100, le=599)]] = Field(
        default_factory=list,
        max_length=20,
        description="HTTP statuses that count as ready. Default: every 2xx.",
        examples=[[200, 401]],
    )


@tool(Annotations(read_only=False, idempotent=True, open_world=True))
async def health_wait(args: HealthWaitInput, ctx: ToolContext) -> HealthChecked | Refused:
    """Wait until units, http URLs or ports of this machine are ready.

    A unit is ready by what its start gave as ready, else when its port takes connections; other
    statuses and refused connections are tried again until the time is over. localhost is tried on
    IPv4 and IPv6, address says which answered. Redirects are reported as location, never followed.
    A unit that has ended fails the wait at once, with exit code and last stderr; one whose port
    somebody else holds is not ready, and the reason says who. history counts the outcomes in order.
    """
    return await checked(
        args.targets,
        timeout_s=args.timeout_s,
        interval_s=args.interval_ms / 1000,
        wanted=args.expect_status,
        workspace=ctx.workspace,
        origin=ctx.origin,
        events=ctx.events,
        reporter=ctx.progress,
    )
