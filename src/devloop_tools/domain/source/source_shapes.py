"""Types of the source as shapes, the form that schemas of a contract are read into too."""

from collections.abc import Iterator, Mapping

from devloop_tools.domain.bridge.shapes import (
    Array,
    Constants,
    Object,
    Primitive,
    Property,
    Reference,
    Shape,
    union,
)
from devloop_tools.domain.source.syntax import Module
from devloop_tools.domain.source.type_lookup import Defined, TypeLookup
from devloop_tools.domain.source.type_terms import (
    AllOf,
    AnyOf,
    Fields,
    ListOf,
    Literal,
    Named,
    TupleOf,
    TypeTerm,
)

MAX_DEPTH = 24
MAX_OPEN = 12
"""Types that are built on each other: longer ways are not followed."""

MAX_TERMS = 20_000
"""Terms that are read for one type: types with parameters may name each other without end."""

_STRING, _INTEGER, _NUMBER = Primitive.STRING, Primitive.INTEGER, Primitive.NUMBER
_PLAIN: Mapping[str, Shape] = {
    "string": _STRING, "String": _STRING, "number": _NUMBER, "Number": _NUMBER,
    "boolean": Primitive.BOOLEAN, "Boolean": Primitive.BOOLEAN, "null": Primitive.NULL,
    "undefined": Primitive.NULL, "void": Primitive.NULL, "never": Primitive.NEVER,
    "true": Constants((True,)), "false": Constants((False,)), "bigint": _INTEGER,
    "Date": _STRING, "URL": _STRING, "object": Object(()),
    "str": _STRING, "int": _INTEGER, "float": _NUMBER, "bool": Primitive.BOOLEAN,
    "None": Primitive.NULL, "NoneType": Primitive.NULL, "datetime": _STRING, "date": _STRING,
    "time": _STRING, "UUID": _STRING, "UUID4": _STRING, "EmailStr": _STRING, "HttpUrl": _STRING,
    "AnyUrl": _STRING, "AnyHttpUrl": _STRING, "Path": _STRING, "StrictStr": _STRING,
    "PositiveInt": _INTEGER, "NonNegativeInt": _INTEGER, "StrictInt": _INTEGER,
    "PositiveFloat": _NUMBER, "NonNegativeFloat": _NUMBER, "StrictFloat": _NUMBER,
    "StrictBool": Primitive.BOOLEAN, "AwareDatetime": _STRING, "NaiveDatetime": _STRING,
    "dict": Object(()), "Dict": Object(()),
}  # fmt: skip
"""What names without a definition in the unit mean."""

_LISTS = frozenset(
    "Array ReadonlyArray Set ReadonlySet Iterable IterableIterator AsyncIterable AsyncGenerator"
    " Generator AsyncIterator Iterator list List Sequence MutableSequence set frozenset FrozenSet"
    " Collection deque AbstractSet MutableSet".split()
)
_MAPS = frozenset(
    "Record Map ReadonlyMap dict Dict Mapping MutableMapping OrderedDict defaultdict".split()
)
_THROUGH = frozenset(["Promise", "PromiseLike", "Awaited", "Readonly", "Awaitable", "NoInfer"])
_NO_FIELDS = frozenset(
    "BaseModel RootModel TypedDict NamedTuple Protocol Generic ABC object Struct SQLModel Schema"
    " GenericModel".split()
)
"""Bases that bring no field of their own."""

Variables = Mapping[str, Shape]


class SourceShapes:
    """Reads terms of a program's modules; references are spelled `path#Name`."""

    def __init__(self, lookup: TypeLookup) -> None:
        self._lookup = lookup
        self._definitions: dict[str, Defined] = {}
        self._known: dict[str, Shape] = {}
        self._open: list[str] = []
        self._left = 0

    def shape(self, term: TypeTerm | None, module: Module) -> Shape:
        """The values that `term` means in `module`; all values where that can't be said."""
        self._left = MAX_TERMS
        return Primitive.UNKNOWN if term is None else self._shape(term, module, {}, 0)

    def definition(self, module: Module, name: str) -> Shape:
        """The shape of the type `name` of `module`, one step resolved."""
        self._left = MAX_TERMS
        found = self._lookup.named(module, name)
        return Primitive.UNKNOWN if found is None else self._defined(found, {}, 0)

    def resolved(self, shape: Shape) -> Shape:
        """What a reference stands for; any other shape as it is."""
        self._left = MAX_TERMS
        return self._resolved(shape)

    def _resolved(self, shape: Shape) -> Shape:
        for _ in range(MAX_DEPTH):
            if not isinstance(shape, Reference):
                return shape
            shape = self._meant(shape.name)
        return Primitive.UNKNOWN

    def _meant(self, name: str) -> Shape:
        """What a reference's name means, one step resolved; nothing that is built on itself."""
        if (known := self._known.get(name)) is not None:
            return known
        found = self._definitions.get(name)
        if found is None or name in self._open or len(self._open) >= MAX_OPEN:
            return Primitive.UNKNOWN
        self._open.append(name)
        known = self._defined(found, {}, 0)
        self._open.pop()
        if self._left > 0:
            self._known[name] = known
        return known

    def _defined(self, found: Defined, variables: Variables, depth: int) -> Shape:
        module, definition = found
        shape = self._shape(definition.body, module, variables, depth + 1)
        if isinstance(shape, Object) and self._lookup.is_in_camel_case(module, definition):
            renamed = [Property(_camel(p.name), p.shape, p.required) for p in shape.properties]
            return Object(tuple(renamed), shape.others)
        return shape

    def _shape(self, term: TypeTerm, module: Module, variables: Variables, depth: int) -> Shape:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return Primitive.UNKNOWN
        match term:
            case Named():
                return self._named(term, module, variables, depth)
            case Literal(value):
                return Primitive.NULL if value is None else Constants((value,))
            case AnyOf(branches):
                return union([self._shape(one, module, variables, depth + 1) for one in branches])
            case AllOf(parts):
                return self._merged(
                    [self._part(one, module, variables, depth + 1) for one in parts]
                )
            case ListOf(item):
                return Array(self._shape(item, module, variables, depth + 1))
            case TupleOf(items):
                return Array(
                    None, tuple(self._shape(one, module, variables, depth + 1) for one in items)
                )
            case Fields(fields, others):
                found = [
                    Property(
                        one.name, self._shape(one.type, module, variables, depth + 1), one.required
                    )
                    for one in fields
                ]
                rest = None if others is None else self._shape(others, module, variables, depth + 1)
                return Object(tuple(found), rest)
            case _:
                return Primitive.UNKNOWN

    def _part(self, term: TypeTerm, module: Module, variables: Variables, depth: int) -> Shape:
        """One part of an intersection, or a base; one without fields says nothing."""
        if isinstance(term, Named) and term.name.rpartition(".")[2] in _NO_FIELDS:
            if self._lookup.named(module, term.name) is None:
                return Object(())
        return self._resolved(self._shape(term, module, variables, depth))

    def _merged(self, parts: list[Shape]) -> Shape:
        properties: dict[str, Property] = {}
        others: Shape | None = None
        for part in parts:
            if not isinstance(part, Object):
                return part if len(parts) == 1 else Primitive.UNKNOWN
            for one in part.properties:
                properties[one.name] = one
            others = part.others or others
        return Object(tuple(properties.values()), others)

    def _named(self, term: Named, module: Module, variables: Variables, depth: int) -> Shape:
        if term.name in variables:
            return variables[term.name]
        given = [self._shape(one, module, variables, depth + 1) for one in term.arguments]
        found = self._lookup.named(module, term.name)
        if found is None:
            return self._outside(term.name.rpartition(".")[2], given)
        source, definition = found
        if given or definition.parameters:
            inner = dict.fromkeys(definition.parameters, Primitive.UNKNOWN) | dict(
                zip(definition.parameters, given, strict=False)
            )
            return self._defined(found, inner, depth + 1)
        name = f"{source.path}#{definition.name}"
        self._definitions[name] = found
        return Reference(name)

    def _outside(self, name: str, given: list[Shape]) -> Shape:
        if name in _LISTS:
            return Array(given[0] if given else Primitive.UNKNOWN)
        if name in _MAPS:
            return Object((), given[1] if len(given) > 1 else None)
        if name in _THROUGH and given:
            return given[0]
        if name == "Coroutine" and given:
            return given[-1]
        if name in ("Partial", "Required", "Pick", "Omit", "NonNullable") and given:
            return self._derived(name, given)
        if name in ("tuple", "Tuple"):
            return Array(None, tuple(given)) if given else Array(Primitive.UNKNOWN)
        return Primitive.UNKNOWN if given else _PLAIN.get(name, Primitive.UNKNOWN)

    def _derived(self, name: str, given: list[Shape]) -> Shape:
        whole = self._resolved(given[0])
        if not isinstance(whole, Object):
            return whole
        names = set(_texts(given[1])) if len(given) > 1 else set()
        kept: list[Property] = []
        for one in whole.properties:
            if (name == "Pick" and one.name not in names) or (name == "Omit" and one.name in names):
                continue
            required = {"Partial": False, "Required": True}.get(name, one.required)
            kept.append(Property(one.name, one.shape, required))
        return Object(tuple(kept), whole.others)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _texts(shape: Shape) -> Iterator[str]:
    parts = getattr(shape, "branches", (shape,))
    for part in parts:
        if isinstance(part, Constants):
            yield from (value for value in part.values if isinstance(value, str))
