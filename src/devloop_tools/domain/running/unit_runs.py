"""Starts and stops units, each with its keeper, dependencies first; events say what happened.

One of the modules of the domain that wait, with anyio.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done
from devloop_tools.domain.running.addresses import url_of
from devloop_tools.domain.running.health import Health, Reporter, TargetHealth
from devloop_tools.domain.running.live_units import GRACE_S, Launch, LiveUnits
from devloop_tools.domain.running.lost_units import end_left_processes
from devloop_tools.domain.running.plan import Plan, UnitSpec
from devloop_tools.domain.running.ports import PortLeases
from devloop_tools.domain.running.processes import process
from devloop_tools.domain.running.records import UnitRecord, UnitRecords
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

SETTLE_S = 0.25
"""A unit that dies sooner than this is reported by the call that started it."""

READY_INTERVAL_S = 0.1
_STOP_TIMEOUT_S = GRACE_S + 12.0
_POLL_S = 0.02

State = Literal["running", "ended", "failed", "not_started", "never_started"]


class UnitState(BaseModel):
    """A unit as it is now. `exit_code` is negative for the signal that ended it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    unit_id: str
    state: State
    ready: bool | None = None
    reason: str | None = None
    pid: int | None = None
    port: int | None = None
    url: str | None = None
    started_at: str | None = None
    exit_code: int | None = None
    stderr_tail: list[str] = Field(default_factory=list)


class UnitsChanged(Done):
    """`passed`: every unit is as the action wants it; `grace_s` lies between TERM and KILL."""

    action: str
    passed: bool
    units: list[UnitState]
    grace_s: float = GRACE_S


class UnitRuns:
    """The units of one project, as one call starts and stops them."""

    def __init__(
        self,
        workspace: Workspace,
        origin: Origin,
        events: Emitter,
        database: Database,
        live: LiveUnits,
        reporter: Reporter,
    ) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events
        self._leases = PortLeases(database)
        self._live = live
        self._reporter = reporter
        self._records = UnitRecords(workspace.root, workspace.agent)
        self._plan = Plan(workspace, database, live)

    async def start(
        self, specs: Sequence[UnitSpec], *, detach: bool, timeout_s: float, again: bool = False
    ) -> UnitsChanged:
        """Start the units, dependencies first. Raises ExpectedFailure before anything starts."""
        await self._end_left()
        make = partial(self._plan.launches, specs, detach=detach, again=again)
        launches = await anyio.to_thread.run_sync(make)
        if again:
            await self._stopped([launch.unit_id for launch in launches])
            for launch in launches:
                await anyio.to_thread.run_sync(self._plan.require_startable, launch)
        depends_on = await anyio.to_thread.run_sync(self._plan.dependencies)
        states: dict[str, UnitState] = {}
        for launch in launches:
            missing = [
                other
                for other in depends_on.get(launch.unit_id, [])
                if other in states and not _is_up(states[other])
            ]
            if missing:
                why = f"{', '.join(missing)}, on which it depends, is not up"
                state = UnitState(unit_id=launch.unit_id, state="not_started", reason=why)
            else:
                state = await self._started(launch, timeout_s)
            states[launch.unit_id] = state
            self._reporter.report(len(states), len(launches), f"{launch.unit_id}: {state.state}")
        return UnitsChanged(
            action="restart" if again else "start",
            passed=all(map(_is_up, states.values())),
            units=list(states.values()),
        )

    async def stop(self, unit_ids: Sequence[str]) -> UnitsChanged:
        """Stop the units, dependents first; of those that don't run, say how they ended."""
        await self._end_left()
        ordered = await anyio.to_thread.run_sync(self._plan.ordered, unit_ids)
        await self._stopped(ordered)
        return await anyio.to_thread.run_sync(
            lambda: self._changed("stop", ordered, wanted=("ended", "failed", "never_started"))
        )

    async def status(self, unit_ids: Sequence[str]) -> UnitsChanged:
        """The units as they are; all that were ever started where none is named."""
        await self._end_left()

        def look() -> UnitsChanged:
            named = list(unit_ids) or [record.unit_id for record in self._records.all()]
            return self._changed("status", named, wanted=("running",))

        return await anyio.to_thread.run_sync(look)

    async def _end_left(self) -> None:
        await anyio.to_thread.run_sync(end_left_processes, self._records)

    def _changed(
        self, action: str, unit_ids: Sequence[str], *, wanted: Sequence[str]
    ) -> UnitsChanged:
        states = [self._state(unit_id) for unit_id in unit_ids]
        passed = all(state.state in wanted for state in states)
        return UnitsChanged(action=action, passed=passed, units=states)

    async def _started(self, launch: Launch, timeout_s: float) -> UnitState:
        failure = await anyio.to_thread.run_sync(self._launched, launch)
        if failure is not None:
            return UnitState(unit_id=launch.unit_id, state="failed", reason=failure)
        health: TargetHealth | None = None
        if launch.ready is not None:
            look = Health(self._records)
            target = await anyio.to_thread.run_sync(look.unit, launch.unit_id, "units")
            [health] = await look.wait(
                [target],
                timeout_s=timeout_s,
                interval_s=READY_INTERVAL_S,
                wanted=(),
                reporter=self._reporter,
            )
        elif kept := self._live.of(launch.unit_id):
            await anyio.to_thread.run_sync(kept.over.wait, SETTLE_S)
        return await anyio.to_thread.run_sync(self._state, launch.unit_id, health)

    def _launched(self, launch: Launch) -> str | None:
        """Start a unit; None, or why that could not be."""
        with self._workspace.locks.hold(f"units/{launch.unit_id}"):
            self._plan.require_startable(launch)
            ours = process(os.getpid())
            assert ours is not None
            if launch.port is not None:
                other = self._leases.hold(launch.port, launch.unit_id, ours)
                if other is not None:
                    return f"port {launch.port} is leased to {other.name} of another server"
            try:
                kept = self._live.start(
                    self._workspace.root, self._workspace.agent, launch, self._on_end
                )
            except FileNotFoundError:
                return f"there is no folder {launch.cwd} any more"
        if kept.failure is not None:
            return f"{launch.argv[0]}: {kept.failure}"
        if launch.port is not None and launch.detach:
            self._leases.hold(launch.port, launch.unit_id, kept.keeper)
        fact = {"unit_id": launch.unit_id, "pid": kept.pid, "port": launch.port}
        self._events.emit(self._origin, EventType.UNIT_STARTED, fact)
        return None

    def _on_end(self, launch: Launch, exit_code: int | None, asked: bool) -> None:
        fact = {"unit_id": launch.unit_id, "exit_code": exit_code, "asked": asked}
        self._events.emit(self._origin, EventType.UNIT_STOPPED, fact)

    async def _stopped(self, unit_ids: Sequence[str]) -> None:
        for unit_id in reversed(unit_ids):
            record = await anyio.to_thread.run_sync(self._records.of, unit_id)
            if record is None or not record.lives:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.kill(record.keeper.pid, signal.SIGTERM)
            await anyio.to_thread.run_sync(self._await_end, record, abandon_on_cancel=True)
            if not record.owner.lives:
                await anyio.to_thread.run_sync(self._report_end, unit_id)

    def _await_end(self, record: UnitRecord) -> None:
        deadline = time.monotonic() + _STOP_TIMEOUT_S
        # Also the event is written before the answer goes out.
        while record.keeper.lives or not self._is_over(record):
            if time.monotonic() > deadline:
                raise ExpectedFailure(
                    f"units: {record.unit_id} (pid {record.pid}) has not ended within"
                    f" {_STOP_TIMEOUT_S:g} s, after TERM and KILL.",
                    "The system holds it; look what it waits for.",
                )
            time.sleep(_POLL_S)

    def _is_over(self, record: UnitRecord) -> bool:
        kept = self._live.of(record.unit_id)
        return kept is None or kept.keeper != record.keeper or kept.over.is_set()

    def _report_end(self, unit_id: str) -> None:
        """Of a detached unit whose server is gone, nobody else does."""
        record = self._records.of(unit_id)
        fact = {"unit_id": unit_id, "exit_code": record and record.exit_code, "asked": True}
        self._events.emit(self._origin, EventType.UNIT_STOPPED, fact)

    def _state(self, unit_id: str, health: TargetHealth | None = None) -> UnitState:
        record = self._records.of(unit_id)
        if record is None:
            return UnitState(unit_id=unit_id, state="never_started")
        if record.lives:
            state: State = "running"
        else:
            state = "failed" if record.state == "failed" else "ended"
        return UnitState(
            unit_id=unit_id,
            state=state,
            ready=health.ready if health else None,
            reason=health.reason if health else record.reason,
            pid=record.pid if record.lives else None,
            port=record.port,
            url=url_of(record.port) if record.port else None,
            started_at=record.started_at,
            exit_code=record.exit_code,
            stderr_tail=self._tail(record, health),
        )

    def _tail(self, record: UnitRecord, health: TargetHealth | None) -> list[str]:
        in_order = record.lives and (health is None or health.ready)
        return [] if in_order or record.asked else self._records.last_lines(record.unit_id)


def _is_up(state: UnitState) -> bool:
    return state.state == "running" and state.ready is not False


def repeated(unit_ids: Sequence[str]) -> Iterator[str]:
    """Units that are named more than once."""
    seen: set[str] = set()
    for unit_id in unit_ids:
        if unit_id in seen:
            yield unit_id
        seen.add(unit_id)
