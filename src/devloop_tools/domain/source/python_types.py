"""Types that Python code declares, as terms."""

import re
from collections.abc import Iterator

from devloop_tools.domain.source.tree import MAX_DEPTH, Node, child, fields, line_of, named, text_of
from devloop_tools.domain.source.type_terms import (
    UNREAD,
    AllOf,
    AnyOf,
    Field,
    Fields,
    ListOf,
    Literal,
    Named,
    TupleOf,
    TypeDefinition,
    TypeTerm,
)

_CAMEL = re.compile(r"\balias_generator\s*=\s*[\w.]*camel", re.IGNORECASE)
_CONSTANTS = {"true": True, "false": False, "none": None}
_UNIONS = frozenset(["Union", "typing.Union"])
_OPTIONALS = frozenset(["Optional", "typing.Optional"])
_LITERALS = frozenset(["Literal", "typing.Literal", "typing_extensions.Literal"])
_THROUGH = frozenset(["Annotated", "Required", "ReadOnly", "Final", "Mapped", "Unpack"])
_ENUMS = frozenset(["Enum", "StrEnum", "IntEnum", "Flag"])
_NO_DATA = frozenset(["ClassVar", "InitVar", "KW_ONLY"])


def type_term(node: Node | None, depth: int = 0) -> TypeTerm:
    """The type that an annotation writes, or that an expression stands for."""
    if node is None or depth > MAX_DEPTH:
        return UNREAD
    match node.type:
        case "type" | "parenthesized_expression" | "type_parameter":
            return type_term(named(node)[0], depth + 1) if named(node) else UNREAD
        case "identifier" | "attribute" | "member_type":
            return Named(text_of(node))
        case "string" | "concatenated_string":
            return Named(_string(node)) if _string(node).isidentifier() else _quoted(node, depth)
        case "none":
            return Literal(None)
        case "generic_type":
            return _applied(text_of(named(node)[0]), named(child(node, "type_parameter")), depth)
        case "subscript":
            name = text_of(node.child_by_field_name("value"))
            return _applied(name, list(fields(node, "subscript")), depth)
        case "binary_operator" | "union_type":
            return AnyOf(tuple(type_term(part, depth + 1) for part in _flat(node)))
        case "list":
            return TupleOf(tuple(type_term(item, depth + 1) for item in named(node)))
        case _:
            return UNREAD


def alias(name: str, node: Node | None, line: int, *, declared: bool) -> TypeDefinition | None:
    """The type that `name = node` brings; None where `node` needn't be a type and isn't told so."""
    if node is None:
        return None
    if node.type == "call":
        return _made(name, node, line)
    is_type = declared or (
        node.type == "subscript" or (node.type == "binary_operator" and "|" in text_of(node))
    )
    if not is_type:
        return None
    term = type_term(node)
    if not declared and not _is_surely_a_type(term):
        return None
    return TypeDefinition(name, line, term, is_alias=True)


def class_definition(node: Node) -> TypeDefinition:
    """The type that a class is: its annotated fields, its bases', an enumeration's values."""
    name = text_of(node.child_by_field_name("name"))
    supers = named(node.child_by_field_name("superclasses"))
    bases = [base for base in supers if base.type != "keyword_argument"]
    options = {
        text_of(base.child_by_field_name("name")): text_of(base.child_by_field_name("value"))
        for base in supers
        if base.type == "keyword_argument"
    }
    line = line_of(node)
    parameters = tuple(_variables(node, bases))
    body = node.child_by_field_name("body")
    if any(text_of(base).rpartition(".")[2] in _ENUMS for base in bases):
        return TypeDefinition(name, line, AnyOf(tuple(_enumerated(body))), parameters)
    found = Fields(tuple(_fields(body, all_required=options.get("total") != "False")))
    if not found.fields and not bases:
        return TypeDefinition(name, line, UNREAD, parameters)
    inherited = [type_term(base) for base in bases if base.type != "call"]
    whole: TypeTerm = AllOf((*inherited, found)) if inherited else found
    in_camel_case = bool(_CAMEL.search(text_of(body)))
    return TypeDefinition(name, line, whole, parameters, in_camel_case=in_camel_case)


def _variables(node: Node, bases: list[Node]) -> Iterator[str]:
    for one in named(node.child_by_field_name("type_parameters")):
        yield text_of(one)
    for base in bases:
        if base.type == "subscript" and text_of(base.child_by_field_name("value")) == "Generic":
            yield from (text_of(one) for one in fields(base, "subscript"))


def _applied(name: str, given: list[Node], depth: int) -> TypeTerm:
    short = name.rpartition(".")[2]
    if name in _LITERALS:
        return AnyOf(tuple(_value(one) for one in given))
    arguments = tuple(type_term(one, depth + 1) for one in given if text_of(one) != "...")
    if name in _UNIONS:
        return AnyOf(arguments)
    if name in _OPTIONALS:
        return AnyOf((*arguments, Literal(None)))
    if short in _THROUGH and arguments:
        return arguments[0]
    if short in ("tuple", "Tuple"):
        is_open = len(given) == 2 and text_of(given[1]) == "..."
        return ListOf(arguments[0]) if is_open else TupleOf(arguments)
    return Named(name, arguments)


def _value(node: Node) -> TypeTerm:
    while node.type in ("type", "parenthesized_expression") and named(node):
        node = named(node)[0]
    if node.type in _CONSTANTS:
        return Literal(_CONSTANTS[node.type])
    if node.type in ("string", "concatenated_string"):
        return Literal(_string(node))
    try:
        return Literal(int(text_of(node)))
    except ValueError:
        return UNREAD


def _quoted(node: Node, depth: int) -> TypeTerm:
    """An annotation in quotes, for what is defined further down."""
    from_text = _string(node)
    parts = [part.strip() for part in from_text.split("|")]
    if len(parts) > 1 and depth < 4:
        return AnyOf(tuple(_word(part) for part in parts))
    return _word(from_text)


def _word(text: str) -> TypeTerm:
    if text == "None":
        return Literal(None)
    outer, bracket, inner = text.partition("[")
    if bracket and inner.endswith("]") and inner[:-1].replace(".", "").isidentifier():
        return _wrapped(outer, _word(inner[:-1]))
    return Named(text) if text.replace(".", "").isidentifier() else UNREAD


def _wrapped(outer: str, inner: TypeTerm) -> TypeTerm:
    if outer in _OPTIONALS:
        return AnyOf((inner, Literal(None)))
    return Named(outer, (inner,))


def _flat(node: Node) -> Iterator[Node]:
    parts: list[Node] = []
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.type in ("binary_operator", "union_type") and len(named(found)) == 2:
            waiting.extend(named(found))
        elif found.type == "type" and named(found) and named(found)[0].type == "binary_operator":
            waiting.extend(named(found))
        else:
            parts.append(found)
    yield from reversed(parts)


def _string(node: Node) -> str:
    if node.type == "concatenated_string":
        return "".join(_string(part) for part in named(node))
    return "".join(text_of(part) for part in named(node) if part.type == "string_content")


def _is_surely_a_type(term: TypeTerm) -> bool:
    """Whether an expression is a type, which `rows["a"]` and `a | b` on values aren't."""
    match term:
        case AnyOf(branches):
            return any(_is_surely_a_type(branch) for branch in branches)
        case Literal() | ListOf() | TupleOf():
            return True
        case Named(name, arguments):
            short = name.rpartition(".")[2]
            return (
                bool(arguments) and (short[:1].isupper() or short in _GENERIC)
            ) or name in _PLAIN
        case _:
            return False


_GENERIC = frozenset(["list", "dict", "set", "frozenset", "type"])
_PLAIN = frozenset(["str", "int", "float", "bool", "bytes"])


def _made(name: str, node: Node, line: int) -> TypeDefinition | None:
    """What `NewType`, `TypedDict`, `namedtuple` and the functional `Enum` make."""
    function = text_of(node.child_by_field_name("function")).rpartition(".")[2]
    given = named(node.child_by_field_name("arguments"))
    if len(given) < 2:
        return None
    if function == "NewType":
        return TypeDefinition(name, line, type_term(given[1]), is_alias=True)
    if function == "TypedDict" and given[1].type == "dictionary":
        is_total = "total=False" not in text_of(node).replace(" ", "")
        return TypeDefinition(name, line, Fields(tuple(_pairs(given[1], required=is_total))))
    if function in ("NamedTuple", "namedtuple", "Enum", "StrEnum", "make_dataclass"):
        return TypeDefinition(name, line, UNREAD)
    return None


def _pairs(node: Node, *, required: bool) -> Iterator[Field]:
    for pair in named(node):
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            needed = required and "NotRequired[" not in text_of(value)
            yield Field(_string(key), _without_marker(type_term(value)), needed)


def _without_marker(term: TypeTerm) -> TypeTerm:
    if isinstance(term, Named) and term.name.endswith("NotRequired") and term.arguments:
        return term.arguments[0]
    return term


def _fields(body: Node | None, *, all_required: bool) -> Iterator[Field]:
    for statement in named(body):
        node = named(statement)[0] if named(statement) else statement
        declared = node.child_by_field_name("type") if node.type == "assignment" else None
        left = node.child_by_field_name("left")
        if declared is None or left is None or left.type != "identifier":
            continue
        text, name = text_of(declared), text_of(left)
        if any(mark in text for mark in _NO_DATA) or name.startswith("_"):
            continue
        value = node.child_by_field_name("right")
        needed = all_required and "NotRequired[" not in text and not _has_default(value)
        needed = needed or ("Required[" in text and "NotRequired[" not in text)
        yield Field(_alias_of(value, text) or name, _without_marker(type_term(declared)), needed)


def _has_default(value: Node | None) -> bool:
    """Whether a field may be left out: `Field(...)` and `field(init=False)` aside."""
    if value is None or text_of(value) == "...":
        return False
    function = text_of(value.child_by_field_name("function")).rpartition(".")[2]
    if value.type != "call" or function not in ("Field", "field", "mapped_column", "Query", "Body"):
        return True
    for argument in named(value.child_by_field_name("arguments")):
        if argument.type == "keyword_argument":
            if text_of(argument.child_by_field_name("name")) in ("default", "default_factory"):
                return text_of(argument.child_by_field_name("value")) != "..."
        elif function in ("Field", "Query", "Body"):
            return text_of(argument) != "..."
    return False


def _alias_of(value: Node | None, annotation: str) -> str:
    """The name that a pydantic field has on the wire."""
    given = [] if value is None else named(value.child_by_field_name("arguments"))
    for wanted in ("serialization_alias", "alias"):
        for argument in given:
            if text_of(argument.child_by_field_name("name")) == wanted:
                name = argument.child_by_field_name("value")
                return "" if name is None else _string(name)
    return ""


def _enumerated(body: Node | None) -> Iterator[TypeTerm]:
    for statement in named(body):
        node = named(statement)[0] if named(statement) else statement
        value = node.child_by_field_name("right") if node.type == "assignment" else None
        left = node.child_by_field_name("left")
        if value is None or text_of(left).startswith("_"):
            continue
        if text_of(value) in ("auto()", "enum.auto()"):
            yield Literal(text_of(left).lower())
        else:
            yield _value(value)
