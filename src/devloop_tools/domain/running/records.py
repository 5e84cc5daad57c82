"""What is known of a unit's last run: `.devloop/units/{unit_id}.json`, written by its keeper."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from devloop_tools.domain.running.live_units import RECORDS
from devloop_tools.domain.running.plain_lines import shown_lines
from devloop_tools.domain.running.processes import Process
from devloop_tools.storage.errors import CorruptFile, StorageError
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.listing import files_below

TAIL_LINES = 20
_TAIL_BYTES = 64 * 1024


class Ready(BaseModel):
    """How a unit shows that it can be used: one of the three. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    url: str | None = Field(
        default=None, max_length=2000, description="An http URL that answers with 2xx."
    )
    tcp: str | None = Field(
        default=None, max_length=300, description="host:port that takes connections."
    )
    log: str | None = Field(
        default=None, min_length=1, max_length=500, description="A text that it writes."
    )

    @property
    def given(self) -> list[str]:
        return [name for name in ("url", "tcp", "log") if getattr(self, name) is not None]


class StreamRecord(BaseModel):
    """How much of a stream came, from which byte on it is kept, and when which byte came."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    total: int = 0
    first: int = 0
    marks: list[tuple[int, int]] = Field(default_factory=list)


class UnitRecord(BaseModel):
    """The last run of a unit. Values of its environment are not kept, only their names."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    unit_id: str
    argv: list[str]
    cwd: str
    env_names: list[str] = Field(default_factory=list)
    port: int | None = None
    ready: Ready | None = None
    detach: bool = False
    started_at: str
    marker: str = ""
    keeper: Process
    owner: Process
    state: str
    pid: int | None = None
    exit_code: int | None = None
    asked: bool = False
    ended_at: str | None = None
    reason: str | None = None
    logs: dict[str, StreamRecord] = Field(default_factory=dict)

    @property
    def lives(self) -> bool:
        """Whether it runs: a record whose keeper was killed is that of an ended unit."""
        return self.state == "running" and self.keeper.lives

    @property
    def lost(self) -> bool:
        """Whether its keeper was killed, so that processes of the unit may be left."""
        return bool(self.marker) and self.state == "running" and not self.keeper.lives


@dataclass(frozen=True, slots=True)
class UnitRecords:
    """The records of one project, as they are on disk at each reading."""

    root: Path
    agent: str

    def of(self, unit_id: str) -> UnitRecord | None:
        """The record of a unit's last run; None if it was never started."""
        file = ProjectFile(self.root, (*RECORDS, f"{unit_id}.json"), self.agent)
        content = file.read()
        if content is None:
            return None
        try:
            return UnitRecord.model_validate_json(content)
        except ValidationError as exc:
            raise CorruptFile(
                f"{file.path}: not what a keeper wrote there.",
                "A person moves it away; then start the unit again.",
            ) from exc

    def all(self) -> list[UnitRecord]:
        """Every record, by unit."""
        if not self.root.joinpath(*RECORDS).is_dir():
            return []
        names = [listed.path for listed in files_below(self.root, RECORDS, self.agent)]
        ids = [name.removesuffix(".json") for name in names if not name.startswith(".")]
        return [record for unit_id in ids if (record := self.of(unit_id))]

    def on_port(self, port: int) -> UnitRecord | None:
        """The unit that was last started on `port`, a living one first."""
        found = [record for record in self.all() if record.port == port]
        found.sort(key=lambda record: (record.lives, record.started_at))
        return found[-1] if found else None

    def last_lines(self, unit_id: str, stream: str = "stderr") -> list[str]:
        """The last lines of a stream, as text that can be shown."""
        file = ProjectFile(self.root, log_names(unit_id, stream), self.agent)
        try:
            tail = file.end(_TAIL_BYTES)
        except StorageError:
            return []
        return shown_lines(tail or b"")[-TAIL_LINES:]


def log_names(unit_id: str, stream: str, older: str = "") -> tuple[str, ...]:
    """Where the log of a stream lies."""
    return ("units", unit_id, "logs", f"{stream}.log{older}")


def how_it_ended(record: UnitRecord) -> str:
    """The end of a unit that does not run, in words."""
    if record.state == "failed":
        return f"{record.unit_id} could not be started: {record.reason}"
    if record.exit_code is None:
        return f"{record.unit_id} is gone; its exit code is not known"
    if record.exit_code < 0:
        return f"{record.unit_id} was ended by signal {-record.exit_code}"
    return f"{record.unit_id} ended with exit code {record.exit_code}"
