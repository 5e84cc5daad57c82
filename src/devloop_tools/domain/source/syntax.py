"""A module's code in the few forms that JavaScript, TypeScript and Python share.

Blocks are flat: what stands in an `if` or a loop stands among the statements of its function,
since where a route is registered matters and not under which condition.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from devloop_tools.domain.source.type_terms import TypeDefinition, TypeTerm


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string; parts that are computed stand as expressions."""

    parts: tuple["str | Expression", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """`of.name`, or `of[key]` where the key is computed and `name` is empty."""

    of: "Expression"
    name: str
    key: "Expression | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call or `new`; `line` is that of the method's name where one is called."""

    function: "Expression"
    arguments: tuple["Expression", ...]
    keywords: tuple[tuple[str, "Expression"], ...]
    line: int
    type_arguments: tuple[TypeTerm, ...] = ()

    def keyword(self, name: str) -> "Expression | None":
        return next((value for key, value in self.keywords if key == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """An array, a list, a tuple or a set."""

    items: tuple["Expression", ...]
    is_tuple: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """Any one item of what is gone through; of both, where a dictionary's items are taken."""

    of: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object or a dictionary; `spreads` are the objects that it takes over."""

    entries: tuple[tuple[str, "Expression"], ...]
    spreads: tuple["Expression", ...] = ()

    def get(self, name: str) -> "Expression | None":
        return next((value for key, value in self.entries if key == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """`left + right`."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of them: a conditional, `??`, `||`, `or`."""

    options: tuple["Expression", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """An expression that means nothing to us, though its parts may."""

    parts: tuple["Expression", ...] = ()
    is_null: bool = False


@dataclass(frozen=True, slots=True)
class Param:
    """`name` is empty where the parameter is taken apart; then `keys` are its parts."""

    name: str
    type: TypeTerm | None = None
    optional: bool = False
    rest: bool = False
    keys: tuple[tuple[str, str], ...] = ()
    default: "Expression | None" = None


@dataclass(slots=True, eq=False)
class Function:
    """A function. One without a body declares a signature, as overloads do."""

    name: str
    params: tuple[Param, ...]
    returns: TypeTerm | None
    line: int
    body: tuple["Statement", ...] | None
    decorators: tuple["Expression", ...] = ()
    of_class: str = ""


@dataclass(slots=True, eq=False)
class Class:
    name: str
    bases: tuple["Expression", ...]
    members: dict[str, "Expression"]
    line: int
    decorators: tuple["Expression", ...] = ()


Expression = (
    Text | Number | Name | Member | Call | Sequence | Element | Record | Joined | Choice | Opaque
    | Function | Class
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Bind:
    """`name` stands for `value` in its function or module."""

    name: str
    value: Expression
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    target: Expression
    value: Expression
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate:
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    value: Expression


Statement = Bind | Assign | Evaluate | Return


@dataclass(frozen=True, slots=True)
class Imported:
    """`name` of the module that `module` spells; `*` is the module itself."""

    module: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Export:
    """What others import as `name`: a local name, something of another module, or a value."""

    name: str
    what: str | Imported | Expression
    line: int


@dataclass(slots=True, eq=False)
class Module:
    """One file. `exports` and `star_exports` are what JavaScript says; `listed` is `__all__`."""

    path: str
    is_python: bool
    body: tuple[Statement, ...] = ()
    imports: dict[str, Imported] = field(default_factory=dict)
    star_imports: list[str] = field(default_factory=list)
    exports: list[Export] = field(default_factory=list)
    star_exports: list[str] = field(default_factory=list)
    listed: list[str] | None = None
    types: dict[str, TypeDefinition] = field(default_factory=dict)
    fault: int | None = None
    """The line of the first thing that the parser could not read."""
    by_name: dict[str, Export] = field(default_factory=dict)

    def export(self, name: str) -> Export | None:
        """What is exported as `name`; of several, the first."""
        if len(self.by_name) == 0:
            self.by_name = {one.name: one for one in reversed(self.exports)}
        return self.by_name.get(name)


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The expressions right inside one; not the bodies of functions."""
    match expression:
        case Text(parts):
            yield from (part for part in parts if not isinstance(part, str))
        case Member(of, _, key):
            yield from (of,) if key is None else (of, key)
        case Call():
            yield expression.function
            yield from expression.arguments
            yield from (value for _, value in expression.keywords)
        case Sequence(parts) | Choice(parts) | Opaque(parts):
            yield from parts
        case Element(of):
            yield of
        case Record(entries, spreads):
            yield from (value for _, value in entries)
            yield from spreads
        case Joined(left, right):
            yield left
            yield right
        case Class():
            yield from (*expression.decorators, *expression.bases, *expression.members.values())
        case Function():
            yield from expression.decorators
        case _:
            return


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions right inside a statement."""
    if isinstance(statement, Assign):
        return (statement.target, statement.value)
    return (statement.value,)


def all_inside(expression: Expression) -> Iterator[Expression]:
    """`expression` and all inside it, not going into functions, in the order of the text."""
    waiting = [expression]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(list(parts_of(found))))


def take_assigned(members: dict[str, Expression], itself: str) -> None:
    """Add the fields that methods assign to the instance."""
    for method in list(members.values()):
        if not isinstance(method, Function):
            continue
        for statement in method.body or ():
            if isinstance(statement, Assign) and isinstance(statement.target, Member):
                of = statement.target.of
                if isinstance(of, Name) and of.name == itself:
                    members.setdefault(statement.target.name, statement.value)
