"""Functions of a contract against those that the source gives out."""

from collections.abc import Iterator

from devloop_tools.domain.bridge.contract_shapes import Callable, ContractShapes
from devloop_tools.domain.bridge.shapes import Primitive, Shape, Union
from devloop_tools.domain.contract_check.agreement import Agreement
from devloop_tools.domain.contract_check.findings import Finding, Findings, Kind
from devloop_tools.domain.source.model import OfferedFunction
from devloop_tools.domain.source.syntax import Function, Module, Param
from devloop_tools.domain.source.unit_source import UnitSource

_ITSELF = frozenset(["self", "cls"])


def compare_functions(
    contract: ContractShapes, source: UnitSource, agreement: Agreement
) -> Findings:
    """The differences: names, and of each function its parameters and what it returns."""
    findings = Findings()
    offered = {one.name: one for one in source.functions}
    matched = set()
    for promised in contract.functions:
        found = offered.get(promised.name)
        if found is None:
            if promised.name not in source.values:
                why = "no module of the unit gives out such a function"
                findings.missing.append(Finding(kind=Kind.FUNCTION, name=promised.name, why=why))
            continue
        matched.add(found.place)
        if (why_not := _difference(promised, found, source, agreement)) is not None:
            findings.differing.append(_finding(found, why_not))
    for one in source.functions:
        if one.place not in matched and one.place not in source.handlers:
            findings.extra.append(_finding(one, "the contract has no such function"))
    return findings


def _finding(found: OfferedFunction, why: str) -> Finding:
    place = found.place
    return Finding(kind=Kind.FUNCTION, name=found.name, file=place.file, line=place.line, why=why)


def _difference(
    promised: Callable, found: OfferedFunction, source: UnitSource, agreement: Agreement
) -> str | None:
    module = source.program.modules[found.place.file]
    reasons = [
        next(_reasons(promised, signature, module, source, agreement), None)
        for signature in found.signatures
    ]
    return None if None in reasons or not reasons else reasons[0]


def _reasons(
    promised: Callable,
    signature: Function,
    module: Module,
    source: UnitSource,
    agreement: Agreement,
) -> Iterator[str]:
    params = [param for param in signature.params if param.name not in _ITSELF]
    yield from _names(promised, params)
    for argument, param in zip(promised.arguments, params, strict=False):
        if not argument.required and not param.optional:
            yield f"{argument.name} may be left out in the contract, not here"
        if param.type is None:
            continue
        shape = source.shapes.shape(param.type, module)
        if param.optional:
            shape = _without_null(shape)
        wanted = _without_null(argument.shape) if param.optional else argument.shape
        why = agreement.difference(wanted, shape, whole_numbers=module.is_python)
        if why is not None:
            yield f"{argument.name}: {why}"
    yield from _returned(promised, signature, module, source, agreement)


def _names(promised: Callable, params: list[Param]) -> Iterator[str]:
    wanted = [argument.name for argument in promised.arguments]
    given = [param.name or "{…}" for param in params]
    if len(wanted) != len(given):
        yield f"takes ({', '.join(given)}), in the contract ({', '.join(wanted)})"
    elif any(
        name not in (param.name, "")
        for name, param in zip(wanted, params, strict=True)
        if param.name
    ):
        what = "in another order" if sorted(wanted) == sorted(given) else "by other names"
        yield f"takes ({', '.join(given)}), in the contract ({', '.join(wanted)}): {what}"


def _without_null(shape: Shape) -> Shape:
    if not isinstance(shape, Union):
        return shape
    left = tuple(branch for branch in shape.branches if branch is not Primitive.NULL)
    return left[0] if len(left) == 1 else Union(left)


def _returned(
    promised: Callable,
    signature: Function,
    module: Module,
    source: UnitSource,
    agreement: Agreement,
) -> Iterator[str]:
    if promised.returns is None or signature.returns is None:
        return
    shape = source.shapes.shape(signature.returns, module)
    why = agreement.difference(promised.returns, shape, whole_numbers=module.is_python)
    if why is not None:
        yield f"returns: {why}"
