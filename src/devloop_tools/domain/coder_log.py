"""A unit's log of its making: one line a change, append only, for those who read the code later."""

from collections.abc import Iterator, Sequence

import orjson

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.contracts.contract import hash_of, read_contract, unit_page
from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.domain.timeline import Level
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.sandbox import split
from devloop_tools.storage.workspace import Workspace

CODER_LOG = "coder-log.ndjson"


class CoderLogAppended(Done):
    """Where the line stands; `warnings` say what in it is not so."""

    path: str
    warnings: list[str]


class CoderLog:
    """Appends to `units/{unit_id}/coder-log.ndjson`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def append(
        self, entry: str, *, files_changed: Sequence[str], contract_hash: str | None, level: Level
    ) -> CoderLogAppended | Refused:
        """Add one line; it is on disk when this returns. Wrong facts are kept, with a warning."""
        unit_id = self._origin.unit_id
        if unit_id is None:
            return refused(
                "unit_id: this server works on no unit, so there is no log to write to.",
                "Start it with --unit, or use timeline_append.",
            )
        path = f"units/{unit_id}/{CODER_LOG}"
        warnings = [*self._of_hash(unit_id, contract_hash), *self._of_files(files_changed)]
        line = {
            "ts": timestamp(),
            "agent": self._origin.agent,
            "unit_id": unit_id,
            "call_id": self._origin.call_id,
            "session_id": self._origin.session_id,
            "level": level.value,
            "entry": entry,
            "files_changed": list(files_changed),
            "contract_hash": contract_hash,
        }
        whole = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        with self._workspace.locked(path) as file:
            file.append_line(lambda _: whole, is_entry=_is_entry)
        fact = {name: line[name] for name in ("unit_id", "level", "entry", "files_changed")}
        self._events.emit(self._origin, EventType.CODER_LOGGED, fact)
        return CoderLogAppended(path=path, warnings=warnings)

    def _of_hash(self, unit_id: str, given: str | None) -> Iterator[str]:
        if given is None:
            return
        page = unit_page(unit_id)
        try:
            present = hash_of(read_contract(self._workspace, page), page).hash
        except ExpectedFailure as exc:
            yield f"contract_hash: there is nothing to compare it with: {exc.reason}"
            return
        if present != given:
            yield (
                f"contract_hash: {given} is not the present contract's, which is {present}."
                " Read the contract again before you go on."
            )

    def _of_files(self, files_changed: Sequence[str]) -> Iterator[str]:
        for at, name in enumerate(files_changed):
            try:
                split(name)
            except ValueError as exc:
                yield f"files_changed[{at}]: {name[:200]}: {exc}"


def _is_entry(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False
