"""What is left of units whose keeper was killed: each process carries the marker of its run."""

from collections.abc import Mapping, Sequence

from devloop_tools.domain.running.live_units import MARKER
from devloop_tools.domain.running.processes import Process, all_with, end_all_with
from devloop_tools.domain.running.records import UnitRecords


def left_processes(records: UnitRecords) -> Mapping[str, Sequence[Process]]:
    """The living processes of each lost unit that has any."""
    lost = {record.unit_id: record.marker for record in records.all() if record.lost}
    found = {unit_id: all_with(MARKER, {marker}) for unit_id, marker in lost.items()}
    return {unit_id: processes for unit_id, processes in found.items() if processes}


def end_left_processes(records: UnitRecords) -> int:
    """KILL what is left of lost units; how many processes that were."""
    return end_all_with(MARKER, {record.marker for record in records.all() if record.lost})
