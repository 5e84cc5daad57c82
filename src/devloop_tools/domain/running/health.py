"""Waits until units and addresses of this machine can be used, or until it is clear they won't.

Ready is what answered while its process lived: never a line in a log alone, and never somebody
else who listens on the unit's port. One of the modules of the domain that wait, with anyio.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import anyio
import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.running.addresses import (
    BOTH_FAMILIES,
    Address,
    LocalUrl,
    local_address,
    local_url,
)
from devloop_tools.domain.running.probes import Answer, asks, connects, is_wanted
from devloop_tools.domain.running.processes import listeners, listens, tree
from devloop_tools.domain.running.records import (
    UnitRecord,
    UnitRecords,
    how_it_ended,
    log_names,
)
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.files import ProjectFile

MAX_HISTORY = 20
_LOG_BYTES = 1024 * 1024


class Reporter(Protocol):
    """Whoever is told how far a wait is."""

    def report(self, progress: float, total: float | None = None, message: str = "") -> None: ...


class Outcomes(BaseModel):
    """The same outcome, so many times in a row."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    outcome: str
    times: int


class TargetHealth(BaseModel):
    """One target: what answered where, or why nothing did. `history` is in order of time."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    target: str
    ready: bool
    reason: str | None = None
    address: str | None = None
    status: int | None = None
    location: str | None = None
    attempts: int = 0
    history: list[Outcomes] = Field(default_factory=list)
    exit_code: int | None = None
    stderr_tail: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """What is waited for. `own`: the unit itself is meant, so nobody else may answer for it."""

    name: str
    unit_id: str | None = None
    url: LocalUrl | None = None
    address: Address | None = None
    log: str | None = None
    own: bool = False


@dataclass(slots=True)
class _Wait:
    """How far the wait for one target is."""

    target: Target
    attempts: int = 0
    history: list[Outcomes] = field(default_factory=list)
    answer: Answer | None = None
    ready: bool = False
    dead: bool = False
    reason: str | None = None

    def saw(self, outcome: str) -> None:
        self.attempts += 1
        if self.history and self.history[-1].outcome == outcome:
            outcomes = Outcomes(outcome=outcome, times=self.history[-1].times + 1)
            self.history[-1] = outcomes
        else:
            self.history = [*self.history[-MAX_HISTORY + 1 :], Outcomes(outcome=outcome, times=1)]


class Health:
    """Waits for targets of one project."""

    def __init__(self, records: UnitRecords) -> None:
        self._records = records

    def unit(self, unit_id: str, place: str) -> Target:
        """The unit as its last start said it shows that it is ready; else by its port."""
        record = self._records.of(unit_id)
        if record is None:
            raise ExpectedFailure(
                f"{place}: the unit {unit_id} was never started.", "Start it with spawn_units."
            )
        ready = record.ready
        address = Address(BOTH_FAMILIES, record.port) if record.port else None
        if ready is not None and ready.url is not None:
            url = local_url(ready.url, place)
            return Target(unit_id, unit_id, url, url.address, own=True)
        if ready is not None and ready.tcp is not None:
            return Target(unit_id, unit_id, None, local_address(ready.tcp, place), own=True)
        log = ready.log if ready is not None else None
        return Target(unit_id, unit_id, None, address, log, own=True)

    def url(self, text: str, place: str) -> Target:
        """An http URL on this machine."""
        url = local_url(text, place)
        return Target(text, self._unit_on(url.address.port), url, url.address)

    def tcp(self, text: str, place: str) -> Target:
        """A port on this machine."""
        address = local_address(text, place)
        return Target(text, self._unit_on(address.port), None, address)

    async def wait(
        self,
        targets: Sequence[Target],
        *,
        timeout_s: float,
        interval_s: float,
        wanted: Sequence[int],
        reporter: Reporter,
    ) -> list[TargetHealth]:
        """Until all are ready, one can't become so any more, or the time is over."""
        waits = [_Wait(target) for target in targets]

        async def until_settled(wait: _Wait) -> None:
            while True:
                await anyio.to_thread.run_sync(
                    partial(self._look, wait, wanted), abandon_on_cancel=True
                )
                done = sum(one.ready for one in waits)
                reporter.report(done, len(waits), _progress(wait))
                if wait.dead:
                    tasks.cancel_scope.cancel()
                if wait.ready or wait.dead:
                    return
                await anyio.sleep(interval_s)

        with anyio.move_on_after(timeout_s):
            async with anyio.create_task_group() as tasks:
                for wait in waits:
                    tasks.start_soon(until_settled, wait)
        return await anyio.to_thread.run_sync(
            lambda: [self._told(wait, timeout_s) for wait in waits]
        )

    def _look(self, wait: _Wait, wanted: Sequence[int]) -> None:
        target = wait.target
        answer = self._answer(target, wanted)
        record = self._records.of(target.unit_id) if target.unit_id else None
        answered = _is_ready(answer, target, wanted)
        wait.answer = answer
        wait.saw(answer.outcome)
        if record is not None and not record.lives and (target.own or not answer.connected):
            wait.dead, wait.reason = True, how_it_ended(record)
        elif answered and record is not None and (stranger := _stranger(record, target)):
            wait.reason = stranger
        else:
            wait.ready, wait.reason = answered, None

    def _answer(self, target: Target, wanted: Sequence[int]) -> Answer:
        if target.log is not None and not self._has_written(target.unit_id or "", target.log):
            return Answer(f"has not written {target.log!r}")
        if target.url is not None:
            return asks(target.url, wanted)
        if target.address is not None:
            return connects(target.address)
        return Answer("written" if target.log is not None else "running", connected=True)

    def _has_written(self, unit_id: str, text: str) -> bool:
        for stream in ("stdout", "stderr"):
            for older in ("", ".1"):
                names = log_names(unit_id, stream, older)
                file = ProjectFile(self._records.root, names, self._records.agent)
                if text.encode() in (file.end(_LOG_BYTES) or b""):
                    return True
        return False

    def _unit_on(self, port: int) -> str | None:
        record = self._records.on_port(port)
        return record.unit_id if record else None

    def _told(self, wait: _Wait, timeout_s: float) -> TargetHealth:
        answer = wait.answer or Answer("no attempt was finished")
        record = self._records.of(wait.target.unit_id) if wait.target.unit_id else None
        reason = wait.reason
        if not wait.ready and reason is None:
            reason = f"not ready within {timeout_s:g} s; the last of {wait.attempts}"
            reason += f" attempts: {answer.outcome}"
        tail = self._records.last_lines(record.unit_id) if record and not wait.ready else []
        return TargetHealth(
            target=wait.target.name,
            ready=wait.ready,
            reason=reason,
            address=answer.address,
            status=answer.status,
            location=answer.location,
            attempts=wait.attempts,
            history=wait.history,
            exit_code=record.exit_code if record and wait.dead else None,
            stderr_tail=tail,
        )


def _is_ready(answer: Answer, target: Target, wanted: Sequence[int]) -> bool:
    if target.url is not None:
        return answer.status is not None and is_wanted(answer.status, wanted)
    return answer.connected


def _stranger(record: UnitRecord, target: Target) -> str | None:
    """Who listens on the unit's port, where it is nobody of the unit."""
    if target.address is None or not (target.own or target.address.port == record.port):
        return None
    if listens(tree(record.keeper.pid), target.address.port) is not False:
        return None
    who = ", ".join(map(str, listeners(target.address.port))) or "somebody"
    return f"port {target.address.port} is held by {who}, who is no process of {record.unit_id}"


def _progress(wait: _Wait) -> str:
    outcome = wait.answer.outcome if wait.answer else ""
    return f"{wait.target.name}: {'ready' if wait.ready else wait.reason or outcome}"
