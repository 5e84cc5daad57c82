"""What a unit wrote to stderr, made short: plain, masked, repeats folded, stack traces grouped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import Field

from devloop_tools.domain.masking import masked, secrets_of
from devloop_tools.domain.outcome import Done
from devloop_tools.domain.running.live_units import LiveUnits
from devloop_tools.domain.running.plain_lines import shown_lines
from devloop_tools.domain.running.records import StreamRecord, UnitRecord, UnitRecords, log_names
from devloop_tools.domain.running.stack_traces import Trace, traces_in
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.sandbox import Operation
from devloop_tools.storage.workspace import Workspace

MAX_TRACES = 20
_STALE_MS = 2000
_FOLD = 8
"""Blocks of up to so many lines are folded where they come again."""


class StderrCollected(Done):
    """`lines` are the last ones; `dropped_bytes` is what was written but not kept."""

    unit_id: str
    state: str
    exit_code: int | None = None
    lines: list[str]
    total_lines: int
    left_out: int = 0
    dropped_bytes: int
    masked: int
    traces: list[Trace] = Field(default_factory=list)
    until: str | None = None


@dataclass(frozen=True, slots=True)
class _Kept:
    """The bytes that are kept, and the offset of the first in all that was written."""

    content: bytes
    first: int


class StderrReading:
    """Reads the logs of one project's units."""

    def __init__(self, workspace: Workspace, live: LiveUnits) -> None:
        self._workspace = workspace
        self._live = live
        self._records = UnitRecords(workspace.root, workspace.agent)

    def collect(
        self, unit_id: str, *, tail: int, since: str | None, grep: str | None
    ) -> StderrCollected:
        """The last `tail` lines, after `since`, that hold `grep`. Raises ExpectedFailure."""
        record = self._records.of(unit_id)
        if record is None:
            raise ExpectedFailure(
                f"unit_id: the unit {unit_id} was never started.", "Start it with spawn_units."
            )
        stream = record.logs.get("stderr", StreamRecord())
        kept = self._kept(unit_id, stream)
        content = kept.content[_offset(stream, since) - kept.first :] if since else kept.content
        inside = f"{self._workspace.root}/"
        lines = [line.replace(inside, "") for line in shown_lines(content)]
        lines, taken_out = masked(lines, self._secrets(unit_id))
        traces = traces_in(lines)[:MAX_TRACES]
        wanted = [line for line in lines if grep is None or grep.casefold() in line.casefold()]
        folded = _folded(wanted)
        shown = folded[-tail:] if tail else []
        return StderrCollected(
            unit_id=unit_id,
            state=_state(record),
            exit_code=record.exit_code,
            lines=shown,
            total_lines=len(lines),
            left_out=len(folded) - len(shown),
            dropped_bytes=kept.first,
            masked=taken_out,
            traces=traces,
            until=_moment(stream.marks[-1][0]) if stream.marks else None,
        )

    def _kept(self, unit_id: str, stream: StreamRecord) -> _Kept:
        parts = []
        for older in (".1", ""):
            names = log_names(unit_id, "stderr", older)
            self._workspace.sandbox.require("/".join(names), Operation.READ)
            parts.append(ProjectFile(self._records.root, names, self._records.agent).read() or b"")
        content = b"".join(parts)
        if stream.first and b"\n" in content:
            # The first line is what is left of one.
            start = content.index(b"\n") + 1
            return _Kept(content[start:], stream.first + start)
        return _Kept(content, stream.first)

    def _secrets(self, unit_id: str) -> list[str]:
        kept = self._live.of(unit_id)
        granted = {name: value for name, value in self._workspace.sandbox.env if value}
        return secrets_of({**granted, **(kept.launch.env if kept else {})})


def _state(record: UnitRecord) -> str:
    if record.lives:
        return "running"
    return "failed" if record.state == "failed" else "ended"


def _offset(stream: StreamRecord, since: str) -> int:
    """Where what came after a time begins; at most a second too early, never too late."""
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise ExpectedFailure(
            f"since: {since} is no time.", "Write UTC as 2026-11-30T20:15:00.000Z; until is one."
        ) from None
    at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000
    offset = 0
    for number, (marked, _) in enumerate(stream.marks):
        if marked <= at:
            offset = stream.marks[number][1]
    if stream.marks and at - stream.marks[-1][0] > _STALE_MS:
        return stream.total
    return offset


def _moment(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_COUNTED = re.compile(r"[0-9]{2,}|0x[0-9a-fA-F]+|[0-9a-f]{8}-[0-9a-f-]{27}")


def _folded(lines: Sequence[str]) -> list[str]:
    """Runs of the same line, or of the same few lines, once with their number.

    Lines that differ only in longer numbers (times, ids, ports) count as the same.
    """
    keys = [_COUNTED.sub("#", line) for line in lines]
    out: list[str] = []
    at = 0
    while at < len(lines):
        size, times = _longest_repeat(keys, at)
        out += lines[at : at + size]
        if times > 1:
            what = "the line" if size == 1 else f"the {size} lines"
            out.append(f"… {what} above came {times} times in a row, but for numbers")
        at += size * times
    return out


def _longest_repeat(keys: Sequence[str], at: int) -> tuple[int, int]:
    """How many lines from `at` on come again at once, and how often; the most lines covered."""
    best = (1, 1)
    for size in range(1, _FOLD + 1):
        block, times = keys[at : at + size], 1
        while keys[at + size * times : at + size * (times + 1)] == block:
            times += 1
        if times > 1 and size * times > best[0] * best[1]:
            best = (size, times)
    return best
