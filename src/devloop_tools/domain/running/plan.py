"""What a call of spawn_units asks for, made ready: placeholders filled, dependencies first.

Whatever can be known to fail is found here, before anything is started.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.documents.units import UNITS_FILE, units_in
from devloop_tools.domain.running.addresses import local_address, local_url
from devloop_tools.domain.running.known_values import known_values
from devloop_tools.domain.running.live_units import Launch, LiveUnits
from devloop_tools.domain.running.names import UnitId
from devloop_tools.domain.running.placeholders import Filling
from devloop_tools.domain.running.ports import is_listened_on
from devloop_tools.domain.running.processes import listeners
from devloop_tools.domain.running.records import Ready, UnitRecord, UnitRecords
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.folders import open_folder
from devloop_tools.storage.sandbox import Operation
from devloop_tools.storage.workspace import Workspace

MAX_WORDS = 200
MAX_VARIABLES = 100

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Word = Annotated[str, Field(max_length=10_000)]


class UnitSpec(BaseModel):
    """A unit as an agent asks for it. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    unit_id: UnitId = Field(description="The unit; its folder is units/{unit_id}.")
    argv: list[Word] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_WORDS,
        description="Program and arguments, no shell. Restart takes the last ones by itself.",
        examples=[["python3", "-m", "todo", "--port", "{{port.todo-be}}"]],
    )
    cwd: str | None = Field(
        default=None, max_length=1000, description="Folder to run in. Default: units/{unit_id}."
    )
    env: dict[str, Word] = Field(
        default_factory=dict,
        max_length=MAX_VARIABLES,
        description="Added to the granted variables.",
    )
    port: int | None = Field(
        default=None, ge=1, le=65_535, description="Where it will listen; it gets PORT too."
    )
    ready: Ready | None = Field(
        default=None, description="Wait until then: one of url, tcp and log."
    )


class Plan:
    """Makes launches of specs. Raises ExpectedFailure for what can't be started."""

    def __init__(self, workspace: Workspace, database: Database, live: LiveUnits) -> None:
        self._workspace = workspace
        self._database = database
        self._live = live
        self._records = UnitRecords(workspace.root, workspace.agent)

    def launches(self, specs: Sequence[UnitSpec], *, detach: bool, again: bool) -> list[Launch]:
        """A launch for each unit, dependencies first. `again` may take a unit's last one."""
        filling = Filling(known_values(self._workspace, self._database))
        launches = [
            self._launch(spec, f"units[{index}]", filling, detach=detach, again=again)
            for index, spec in enumerate(specs)
        ]
        if filling.unresolved:
            first = filling.unresolved[0]
            raise ExpectedFailure(
                f"{first.place}: {{{{{first.name}}}}}: {first.reason}.",
                "parse_placeholder tells what is known.",
            )
        if not again:
            for launch in launches:
                self.require_startable(launch)
        by_id = {launch.unit_id: launch for launch in launches}
        self._require_dependencies(by_id)
        return [by_id[unit_id] for unit_id in self.ordered(list(by_id))]

    def ordered(self, unit_ids: Sequence[str]) -> list[str]:
        """The units, each behind those that it depends on. Raises ExpectedFailure: a cycle."""
        depends_on = self.dependencies()
        graph = {unit_id: depends_on.get(unit_id, []) for unit_id in depends_on}
        sorter = TopologicalSorter(graph)
        try:
            place = {unit_id: index for index, unit_id in enumerate(sorter.static_order())}
        except CycleError as exc:
            cycle = " → ".join(reversed(exc.args[1]))
            raise ExpectedFailure(
                f"{UNITS_FILE}: the units depend on each other in a circle: {cycle}.",
                "Take one of these depends_on away.",
            ) from None
        return sorted(unit_ids, key=lambda unit_id: place.get(unit_id, -1))

    def dependencies(self) -> Mapping[str, list[str]]:
        """What each unit of the design depends on; nothing where there is no design."""
        content = self._workspace.read(UNITS_FILE)
        if content is None:
            return {}
        return {unit.id: unit.depends_on for unit in units_in(content, UNITS_FILE).units}

    def _require_dependencies(self, unit_ids: Collection[str]) -> None:
        """Raises ExpectedFailure where one of the others that they need has ended.

        One that was never started says nothing: not every unit of a design is a process.
        """
        depends_on = self.dependencies()
        for unit_id in unit_ids:
            for other in set(depends_on.get(unit_id, [])).difference(unit_ids):
                record = self._records.of(other)
                if record is not None and not record.lives:
                    raise ExpectedFailure(
                        f"units: {unit_id} depends on {other}, which does not run any more.",
                        f"Start {other} first, or both in one call.",
                    )

    def require_startable(self, launch: Launch) -> None:
        """Raises ExpectedFailure where the unit runs already or its port is somebody's."""
        record = self._records.of(launch.unit_id)
        if record is not None and record.lives:
            raise ExpectedFailure(
                f"units: {launch.unit_id} runs already (pid {record.pid}).",
                "Use action restart or stop.",
            )
        if launch.port is not None and is_listened_on(launch.port):
            who = ", ".join(map(str, listeners(launch.port))) or "somebody who can't be seen"
            raise ExpectedFailure(
                f"units: port {launch.port} of {launch.unit_id} is held by {who}.",
                "Pick another with port_picker, or end that process if it is yours.",
            )

    def _launch(
        self, spec: UnitSpec, place: str, filling: Filling, *, detach: bool, again: bool
    ) -> Launch:
        last = self._records.of(spec.unit_id) if again else None
        if spec.argv is None:
            return self._last(spec, place, last)
        cwd = spec.cwd or f"units/{spec.unit_id}"
        self._require_folder(cwd, f"{place}.cwd")
        self._workspace.sandbox.require(f"units/{spec.unit_id}/logs/stderr.log", Operation.WRITE)
        argv = [filling.text(word, f"{place}.argv[{n}]") for n, word in enumerate(spec.argv)]
        added = {name: filling.text(spec.env[name], f"{place}.env.{name}") for name in spec.env}
        _require_variables(added, f"{place}.env")
        if not argv[0] or any("\0" in word for word in argv):
            raise ExpectedFailure(
                f"{place}.argv: an empty program, or a NUL in a word.", "Give plain words."
            )
        granted = {name: value for name, value in self._workspace.sandbox.env if value is not None}
        port = {"PORT": str(spec.port)} if spec.port else {}
        return Launch(
            unit_id=spec.unit_id,
            argv=argv,
            cwd=cwd,
            env={**granted, **port, **added},
            port=spec.port,
            ready=_ready(spec, f"{place}.ready", filling),
            detach=detach,
        )

    def _last(self, spec: UnitSpec, place: str, last: UnitRecord | None) -> Launch:
        kept = self._live.of(spec.unit_id)
        if last is None or kept is None:
            raise ExpectedFailure(
                f"{place}.argv: missing, and this server has not started {spec.unit_id} before.",
                "Give the whole unit: argv, and env, port and ready where it needs them.",
            )
        self._require_folder(kept.launch.cwd, f"{place}.cwd")
        return kept.launch

    def _require_folder(self, path: str, place: str) -> None:
        root, names = self._workspace.sandbox.require(path, Operation.READ)
        if root is not None:
            raise ExpectedFailure(f"{place}: units run inside the project.", "Give a folder of it.")
        try:
            with open_folder(self._workspace.root, names, agent=self._workspace.agent):
                pass
        except FileNotFoundError:
            raise ExpectedFailure(
                f"{place}: there is no folder {path}.",
                "The coder of the unit makes it; look whether the unit's id is right.",
            ) from None


def _ready(spec: UnitSpec, place: str, filling: Filling) -> dict[str, str] | None:
    if spec.ready is None:
        return None
    if len(spec.ready.given) != 1:
        raise ExpectedFailure(f"{place}: one of url, tcp and log.", "Give exactly one.")
    filled = filling.fill(spec.ready.model_dump(exclude_none=True), place)
    ready = {name: str(value) for name, value in filled.items()}
    if not filling.unresolved:
        _require_local(ready, place)
    return ready


def _require_local(ready: Mapping[str, str], place: str) -> None:
    if "url" in ready:
        local_url(ready["url"], f"{place}.url")
    if "tcp" in ready:
        local_address(ready["tcp"], f"{place}.tcp")


def _require_variables(variables: Mapping[str, str], place: str) -> None:
    for name, value in variables.items():
        if not _VARIABLE.fullmatch(name) or "\0" in value:
            raise ExpectedFailure(
                f"{place}: {name} is no name of a variable, or its value holds a NUL.",
                "Use letters, digits and _.",
            )
