"""spawn_units: start, stop, restart units, or say how they are."""

from typing import Literal

from pydantic import Field

from devloop_tools.domain.running.plan import UnitSpec
from devloop_tools.domain.running.unit_runs import UnitRuns, UnitsChanged, repeated
from devloop_tools.toolkit import (
    Annotations,
    Refused,
    ToolContext,
    ToolInput,
    refused,
    tool,
)

MAX_UNITS = 50


class SpawnUnitsInput(ToolInput):
    action: Literal["start", "stop", "restart", "status"] = Field(description="What to do.")
    units: list[UnitSpec] = Field(
        default_factory=list,
        max_length=MAX_UNITS,
        description="Which; to stop and for status the ids alone, for status none for all.",
        examples=[[{"unit_id": "todo-be", "argv": ["python3", "-m", "todo"], "port": 20_080}]],
    )
    detach: bool = Field(
        default=False, description="Let the units outlive this server, until somebody stops them."
    )
    timeout_s: float = Field(
        default=30, gt=0, le=600, description="How long to wait for each unit's ready, in seconds."
    )


@tool(Annotations(read_only=False, destructive=True, open_world=True))
async def spawn_units(args: SpawnUnitsInput, ctx: ToolContext) -> UnitsChanged | Refused:
    """Run units as processes: start, stop, restart, status.

    Each runs in the foreground of its own process group, in its folder, with the granted
    environment, PORT, env, its run's mark and nothing else; units it depends on (sdd/units.json)
    start first, and one of these that has ended must be started too. argv, env and ready may hold
    placeholders: {{port.todo-be}}. Its output goes to units/{unit_id}/logs, at most 8 MB a stream;
    read it with collect_stderr. passed says whether all are as wanted; one that died comes with
    exit code and last stderr, and a port that somebody else holds is refused with who that is.
    Without ready a unit is only started: call health_wait. To stop, the whole tree gets TERM, and
    KILL after grace_s. Units end with this server, however it dies, unless you detach them.
    """
    unit_ids = [unit.unit_id for unit in args.units]
    if twice := next(repeated(unit_ids), None):
        return refused(f"units: {twice} is named twice.", "Name each unit once.")
    if not args.units and args.action != "status":
        return refused(f"units: {args.action} needs at least one.", "Name the units.")
    runs = UnitRuns(ctx.workspace, ctx.origin, ctx.events, ctx.database, ctx.units, ctx.progress)
    match args.action:
        case "start" | "restart" as action:
            again = action == "restart"
            return await runs.start(
                args.units, detach=args.detach, timeout_s=args.timeout_s, again=again
            )
        case "stop":
            return await runs.stop(unit_ids)
        case _:
            return await runs.status(unit_ids)
