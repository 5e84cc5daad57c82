"""Types of a contract against those that the source gives out."""

from devloop_tools.domain.bridge.contract_shapes import ContractShapes
from devloop_tools.domain.contract_check.agreement import Agreement
from devloop_tools.domain.contract_check.findings import Finding, Findings, Kind
from devloop_tools.domain.source.model import OfferedType
from devloop_tools.domain.source.unit_source import UnitSource


def compare_types(
    names: list[str], contract: ContractShapes, source: UnitSource, agreement: Agreement
) -> Findings:
    """The differences: names, and of each type its properties, their types, which are required."""
    findings = Findings()
    offered = {one.name: one for one in source.types}
    matched = set()
    for name in names:
        found = offered.get(name)
        if found is None:
            if name not in source.values:
                why = "no module of the unit gives out such a type"
                findings.missing.append(Finding(kind=Kind.TYPE, name=name, why=why))
            continue
        matched.add(found.place)
        module = source.program.modules[found.place.file]
        shape = source.shapes.definition(module, found.definition.name)
        promised = contract.types[name]
        why_not = agreement.difference(promised, shape, whole_numbers=module.is_python)
        if why_not is not None:
            findings.differing.append(_finding(found, why_not))
    for one in source.types:
        if one.place not in matched:
            findings.extra.append(_finding(one, "the contract has no such type"))
    return findings


def _finding(found: OfferedType, why: str) -> Finding:
    place = found.place
    return Finding(kind=Kind.TYPE, name=found.name, file=place.file, line=place.line, why=why)
