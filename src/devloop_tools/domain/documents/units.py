"""`sdd/units.json`: the units of a design, and the contract that each promises."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from devloop_tools.settings import is_id
from devloop_tools.storage.errors import ExpectedFailure

UNITS_FILE = "sdd/units.json"

MAX_UNITS = 5_000


class Unit(BaseModel):
    """One unit. `contract_hash` is that of hash_contract, or null while it has no contract."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    id: str = Field(min_length=1, max_length=64)
    title: str = ""
    kind: str = ""
    depends_on: list[str] = Field(default_factory=list)
    prd_refs: list[str] = Field(default_factory=list)
    contract_hash: str | None = None


class Units(BaseModel):
    """The file; fields that we don't know are left alone."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    title: str = ""
    units: list[Unit] = Field(default_factory=list, max_length=MAX_UNITS)

    def by_id(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    def callers_of(self, unit_id: str) -> list[str]:
        """The units that depend on it, in the file's order."""
        return [unit.id for unit in self.units if unit_id in unit.depends_on]


def units_in(content: bytes, path: str) -> Units:
    """The units in the file at `path`. Raises ExpectedFailure naming the fault."""
    try:
        found = Units.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "the file"
        raise ExpectedFailure(
            f"{path}: no list of units: {where}: {fault['msg']}.",
            "It is what bootstrap_sdd_site writes: an object with units, each with an id.",
        ) from exc
    if fault_in_ids := next(_faults_in_ids(found), None):
        raise ExpectedFailure(f"{path}: {fault_in_ids}.", "Give each unit an id of its own.")
    return found


def _faults_in_ids(units: Units) -> Iterator[str]:
    seen: set[str] = set()
    for unit in units.units:
        if not is_id(unit.id):
            yield f"{unit.id} is no unit's id"
        if unit.id in seen:
            yield f"two units are called {unit.id}"
        seen.add(unit.id)
