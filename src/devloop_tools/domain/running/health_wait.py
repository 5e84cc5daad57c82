"""What health_wait is asked and answers: targets as an agent names them, and how they are.

One of the modules of the domain that wait, with anyio.
"""

import time
from collections.abc import Sequence

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done
from devloop_tools.domain.running.health import Health, Reporter, Target, TargetHealth
from devloop_tools.domain.running.names import UnitId
from devloop_tools.domain.running.records import UnitRecords
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace


class HealthTarget(BaseModel):
    """One thing to wait for: a unit, a URL or a port. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    unit_id: UnitId | None = Field(default=None, description="A unit that spawn_units started.")
    url: str | None = Field(
        default=None, max_length=2000, description="An http URL on localhost, with a port."
    )
    tcp: str | None = Field(
        default=None,
        max_length=300,
        description="host:port on this machine that takes connections.",
    )


class HealthChecked(Done):
    """`ready`: all of them are."""

    ready: bool
    waited_s: float
    targets: list[TargetHealth]


async def checked(
    targets: Sequence[HealthTarget],
    *,
    timeout_s: float,
    interval_s: float,
    wanted: Sequence[int],
    workspace: Workspace,
    origin: Origin,
    events: Emitter,
    reporter: Reporter,
) -> HealthChecked:
    """Wait for all of them. Raises ExpectedFailure naming a target that can't be waited for."""
    health = Health(UnitRecords(workspace.root, workspace.agent))
    started = time.monotonic()
    found = await anyio.to_thread.run_sync(
        lambda: [
            _target(health, target, f"targets[{index}]") for index, target in enumerate(targets)
        ]
    )
    results = await health.wait(
        found, timeout_s=timeout_s, interval_s=interval_s, wanted=wanted, reporter=reporter
    )

    def report() -> None:
        for target, result in zip(found, results, strict=True):
            if target.unit_id is not None and not result.ready:
                fact = {
                    "unit_id": target.unit_id,
                    "reason": result.reason,
                    "exit_code": result.exit_code,
                }
                events.emit(origin, EventType.UNIT_UNHEALTHY, fact)

    await anyio.to_thread.run_sync(report)
    return HealthChecked(
        ready=all(result.ready for result in results),
        waited_s=round(time.monotonic() - started, 3),
        targets=results,
    )


def _target(health: Health, target: HealthTarget, place: str) -> Target:
    given = [name for name in ("unit_id", "url", "tcp") if getattr(target, name) is not None]
    if len(given) != 1:
        raise ExpectedFailure(f"{place}: one of unit_id, url and tcp.", "Give exactly one.")
    if target.unit_id is not None:
        return health.unit(target.unit_id, place)
    if target.url is not None:
        return health.url(target.url, f"{place}.url")
    return health.tcp(target.tcp or "", f"{place}.tcp")
