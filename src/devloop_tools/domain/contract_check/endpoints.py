"""Endpoints of a contract against the routes that the source serves."""

from collections.abc import Sequence

from devloop_tools.domain.bridge.contract_shapes import ContractShapes, Operation
from devloop_tools.domain.bridge.shapes import Primitive
from devloop_tools.domain.contract_check.agreement import Agreement
from devloop_tools.domain.contract_check.findings import Finding, Findings, Kind
from devloop_tools.domain.source.model import Route
from devloop_tools.domain.source.paths import key_of, spellings
from devloop_tools.domain.source.unit_source import UnitSource

_ANY = "*"


def compare_endpoints(
    names: Sequence[str], contract: ContractShapes, source: UnitSource, agreement: Agreement
) -> Findings:
    """The differences; `names` are the contract's own spellings of its endpoints."""
    findings = Findings()
    served: dict[tuple[str, str], Route] = {}
    for route in source.routes:
        served.setdefault((route.method, key_of(route.path)), route)
    matched: set[tuple[str, str]] = set()
    for name, operation in zip(names, contract.operations, strict=True):
        keys = [(operation.method, key_of(path)) for path in spellings(operation.path)]
        key = next((one for one in _with_any(keys) if one in served), None)
        if key is None:
            findings.missing.append(
                Finding(kind=Kind.ENDPOINT, name=name, why=_why_missing(operation, served))
            )
            continue
        matched.update([key, *keys])
        route = served[key]
        if (why := _difference(operation, route, source, agreement)) is not None:
            findings.differing.append(_finding(name, route, why))
    agreed = {path for _, path in matched}
    for (method, path), route in served.items():
        if (method, path) in matched or _is_implied(method, path, matched, agreed):
            continue
        shown = f"{'ALL' if method == _ANY else method} {route.path}"
        findings.extra.append(_finding(shown, route, "no endpoint of the contract is served here"))
    return findings


def _with_any(keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*keys, *((_ANY, path) for _, path in keys)]


def _is_implied(method: str, path: str, matched: set[tuple[str, str]], agreed: set[str]) -> bool:
    """HEAD comes with GET, and OPTIONS with any method."""
    if method == "HEAD":
        return ("GET", path) in matched
    return method == "OPTIONS" and path in agreed


def _why_missing(operation: Operation, served: dict[tuple[str, str], Route]) -> str:
    wanted = key_of(operation.path)
    methods = sorted(method for method, path in served if path == wanted)
    if methods:
        return f"no route serves {operation.method} here; {', '.join(methods)} is served"
    return "no route of the source serves this path"


def _finding(name: str, route: Route, why: str) -> Finding:
    place = route.place
    return Finding(kind=Kind.ENDPOINT, name=name, file=place.file, line=place.line, why=why)


def _difference(
    operation: Operation, route: Route, source: UnitSource, agreement: Agreement
) -> str | None:
    promised = [(status, shape) for status, shape in operation.responses if status[:1] == "2"]
    statuses = {int(status) for status, _ in promised if status.isdecimal()}
    found = route.statuses
    if len(statuses) == len(promised) > 0 and found and not statuses & found:
        wanted = ", ".join(map(str, sorted(statuses)))
        return f"answers {', '.join(map(str, sorted(found)))}, the contract's success is {wanted}"
    if route.answer is None or len(promised) != 1 or promised[0][1] is None:
        return None
    module = source.program.modules[route.place.file]
    shape = source.shapes.shape(route.answer, module)
    if shape is Primitive.NULL or promised[0][1] is Primitive.NULL:
        return None
    why = agreement.difference(promised[0][1], shape, whole_numbers=module.is_python)
    return None if why is None else f"its declared answer differs: {why}"
