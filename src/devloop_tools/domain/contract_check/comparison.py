"""A unit's contract against its source."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.bridge.contract_shapes import shapes_of
from devloop_tools.domain.contract_check.agreement import Agreement
from devloop_tools.domain.contract_check.endpoints import compare_endpoints
from devloop_tools.domain.contract_check.findings import Finding, Findings
from devloop_tools.domain.contract_check.functions import compare_functions
from devloop_tools.domain.contract_check.types import compare_types
from devloop_tools.domain.contracts.contract import (
    hash_of,
    parse_contract,
    read_contract,
    unit_page,
)
from devloop_tools.domain.outcome import Done
from devloop_tools.domain.source.files import SourceFiles, Unreadable, source_files
from devloop_tools.domain.source.unit_source import UnitSource, read_source
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace


class Unread(BaseModel):
    """A file that was not read, or from `line` on in part only."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    file: str
    line: int | None = None
    why: str


class ContractCompared(Done):
    """`agrees` where nothing differs and every file was read; `judged` are the kinds compared."""

    agrees: bool
    contract_hash: str
    judged: list[str]
    files: int
    missing: list[Finding]
    extra: list[Finding]
    differing: list[Finding]
    unread: list[Unread] = Field(default_factory=list)


def compare_unit(workspace: Workspace, unit_id: str) -> ContractCompared:
    """The differences of a unit's contract and its source.

    Raises ExpectedFailure where there is no contract, or no source that could be read.
    """
    page = unit_page(unit_id)
    raw = read_contract(workspace, page)
    folder = f"units/{unit_id}"
    read = source_files(workspace, folder)
    if not read.files:
        raise _no_source(folder, read)
    source = read_source(read.files)
    findings = differences(raw, source, page)
    unread = [
        Unread(file=f"{folder}/{one.path}", line=one.line, why=one.why)
        for one in (*read.unreadable, *source.faults, *_computed(source))
    ]
    found = [*findings.missing, *findings.extra, *findings.differing]
    return ContractCompared(
        agrees=not found and not unread,
        contract_hash=hash_of(raw, page).hash,
        judged=[kind for kind in ("endpoints", "functions", "types") if kind in raw],
        files=len(read.files),
        missing=_in_project(findings.missing, folder),
        extra=_in_project(findings.extra, folder),
        differing=_in_project(findings.differing, folder),
        unread=unread,
    )


def differences(raw: dict[str, Any], source: UnitSource, name: str = "contract") -> Findings:
    """The differences of the contract `raw` and `source`; a list that it leaves out isn't judged.

    Files are relative to the unit's folder. Raises ExpectedFailure where `raw` is no contract.
    """
    contract = parse_contract(raw, name)
    shapes = shapes_of(raw, name)
    agreement = Agreement(shapes.types, source.shapes)
    findings = Findings()
    if "endpoints" in raw:
        names = [f"{one.method.upper()} {one.path}" for one in contract.endpoints]
        findings.add(compare_endpoints(names, shapes, source, agreement))
    if "functions" in raw:
        findings.add(compare_functions(shapes, source, agreement))
    if "types" in raw:
        findings.add(compare_types(list(contract.types), shapes, source, agreement))
    return findings


def _computed(source: UnitSource) -> list[Unreadable]:
    why = "a route's path or method is computed here, so it could not be compared"
    return [Unreadable(place.file, why, place.line) for place in source.computed]


def _in_project(findings: list[Finding], folder: str) -> list[Finding]:
    return [
        one if one.file is None else one.model_copy(update={"file": f"{folder}/{one.file}"})
        for one in findings
    ]


def _no_source(folder: str, read: SourceFiles) -> ExpectedFailure:
    if read.unreadable:
        first = read.unreadable[0]
        return ExpectedFailure(
            f"{folder}: none of its {len(read.unreadable)} source files could be read;"
            f" {first.path}: {first.why}.",
            "Name the unit whose hand-written source lies there, or save the files as UTF-8.",
        )
    aside = (
        f" ({read.left_out} tests, generated or set-up files don't count)" if read.left_out else ""
    )
    return ExpectedFailure(
        f"{folder}: it holds no TypeScript, JavaScript or Python source{aside}.",
        "The coder writes it there; compare when there is some.",
    )
