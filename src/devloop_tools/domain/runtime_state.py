"""What an agent is doing right now, as one JSON object with a version."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.json_files import load, save
from devloop_tools.domain.merge_patch import merge_patch
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.workspace import Workspace

MAX_STATE_BYTES = 1024 * 1024


class RuntimeState(BaseModel):
    """The file `agent-state/{agent}-runtime.json`; fields that we don't know are left alone."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    agent: str
    call_id: str
    updated_at: str
    version: int
    state: dict[str, Any]


class RuntimeStateUpdated(Done):
    """The state after the patch, and the version to expect at the next one."""

    version: int
    state: dict[str, Any]
    path: str


class VersionConflict(Refused):
    """Somebody changed the state since; here is what it is."""

    version: int
    state: dict[str, Any]


class RuntimeStateStore:
    """Reads and writes `agent-state/{agent}-runtime.json`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: EventLog) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def patch(
        self, patch: dict[str, Any], expected_version: int | None
    ) -> RuntimeStateUpdated | VersionConflict | Refused:
        """Merge `patch` into the state (RFC 7396); a state that isn't there is `{}` at version 0.

        An empty patch writes nothing and tells the present state.
        """
        with self._workspace.locked(self._workspace.runtime_state) as file:
            old = load(file, RuntimeState)
            version, state = (old.version, old.state) if old else (0, {})
            if expected_version is not None and expected_version != version:
                return VersionConflict(
                    reason=f"expected_version: {expected_version} was given, it is {version}",
                    hint="Look at the present state, and send the patch again with its version.",
                    version=version,
                    state=state,
                )
            if not patch:
                return RuntimeStateUpdated(version=version, state=state, path=file.path)
            document = RuntimeState(
                **(old.model_extra or {} if old else {}),
                agent=self._origin.agent,
                call_id=self._origin.call_id,
                updated_at=timestamp(),
                version=version + 1,
                state=merge_patch(state, patch),
            )
            size = len(document.model_dump_json().encode())
            if size > MAX_STATE_BYTES:
                return refused(
                    f"patch: the state would take {size} bytes; {MAX_STATE_BYTES} are allowed",
                    "Keep long texts in files and their paths in the state.",
                )
            save(file, document)
        data = {"version": document.version, "patch": patch}
        self._events.emit(self._origin, EventType.RUNTIME_STATE, data)
        return RuntimeStateUpdated(version=document.version, state=document.state, path=file.path)
