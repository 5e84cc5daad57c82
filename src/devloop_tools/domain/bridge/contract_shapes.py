"""A whole contract in shapes: what every target language makes its types and stubs of."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from devloop_tools.domain.bridge.names import braced, path_parameters, words_of
from devloop_tools.domain.bridge.schema_shapes import SchemaShapes, definitions_in
from devloop_tools.domain.bridge.shapes import Primitive, Shape
from devloop_tools.domain.contracts.contract import Contract, Endpoint, Function, parse_contract

_WITHOUT_BODY = frozenset(["GET", "HEAD", "DELETE", "OPTIONS"])


@dataclass(frozen=True, slots=True)
class Operation:
    """One endpoint. `words` name it; a response of shape None has no body."""

    method: str
    path: str
    summary: str
    words: tuple[str, ...]
    parameters: tuple[str, ...]
    request: Shape | None
    responses: tuple[tuple[str, Shape | None], ...]

    @property
    def in_query(self) -> bool:
        """Whether the request goes into the query, since the method takes no body."""
        return self.method in _WITHOUT_BODY

    @property
    def title(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class Callable:
    """One function. `returns` is None where it returns nothing."""

    name: str
    arguments: tuple[Argument, ...]
    returns: Shape | None


@dataclass(frozen=True, slots=True)
class ContractShapes:
    """Everything that a caller or an implementer needs types for, in the contract's order."""

    unit: str
    version: str
    types: dict[str, Shape]
    operations: tuple[Operation, ...]
    functions: tuple[Callable, ...]
    events: tuple[tuple[str, Shape | None], ...]
    errors: tuple[str | int, ...]
    warnings: tuple[str, ...]


def shapes_of(raw: dict[str, Any], path: str) -> ContractShapes:
    """The shapes of the contract that was read at `path`. Raises ExpectedFailure if it is none."""
    contract = parse_contract(raw, path)
    schemas = SchemaShapes(all_types(raw, contract))
    operations = tuple(_operation(endpoint, schemas) for endpoint in contract.endpoints)
    functions = tuple(
        _function(function, schemas)
        for function in _by_name("function", contract.functions, schemas.warnings)
    )
    events = tuple(
        (event.name, None if event.payload is None else schemas.shape(event.payload, event.name))
        for event in _by_name("event", contract.events, schemas.warnings)
    )
    return ContractShapes(
        unit=contract.unit,
        version=str(contract.version),
        types=schemas.types,
        operations=operations,
        functions=functions,
        events=events,
        errors=tuple(dict.fromkeys(error.code for error in contract.errors)),
        warnings=tuple(schemas.warnings),
    )


class _Named(Protocol):
    @property
    def name(self) -> str: ...


NamedPart = TypeVar("NamedPart", bound=_Named)


def _by_name(kind: str, parts: list[NamedPart], warnings: list[str]) -> list[NamedPart]:
    """The parts, one for each name."""
    first = {part.name: part for part in reversed(parts)}
    twice = [part.name for part in parts if first[part.name] is not part]
    warnings += [f"{kind} {name}: it stands there twice; the first one counts" for name in twice]
    return [part for part in parts if first[part.name] is part]


def all_types(raw: dict[str, Any], contract: Contract) -> dict[str, Any]:
    """The contract's types, and those that its schemas bring along under other names."""
    types: dict[str, Any] = dict(contract.types)
    for name, schema in definitions_in(raw):
        types.setdefault(name, schema)
    return types


def _operation(endpoint: Endpoint, schemas: SchemaShapes) -> Operation:
    method = endpoint.method.upper()
    where = f"{method} {endpoint.path}"
    request = endpoint.request
    return Operation(
        method=method,
        path=braced(endpoint.path),
        summary=endpoint.summary,
        words=tuple(words_of(method, endpoint.path)),
        parameters=tuple(dict.fromkeys(path_parameters(endpoint.path))),
        request=None if request is None else schemas.shape(request, f"{where} request"),
        responses=tuple(
            (status, None if schema is None else schemas.shape(schema, f"{where} {status}"))
            for status, schema in endpoint.responses.items()
        ),
    )


def _function(function: Function, schemas: SchemaShapes) -> Callable:
    arguments = tuple(
        Argument(
            parameter.name,
            schemas.shape(parameter.schema_, f"{function.name}({parameter.name})"),
            parameter.must_be_given,
        )
        for parameter in function.params
    )
    returns = function.returns
    if returns is None:
        return Callable(function.name, arguments, None)
    shape = schemas.shape(returns, f"{function.name} returns")
    return Callable(function.name, arguments, None if shape is Primitive.NULL else shape)
