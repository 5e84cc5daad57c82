"""Types that TypeScript declares, as terms."""

from collections.abc import Iterator

from devloop_tools.domain.source.tree import (
    MAX_DEPTH,
    Node,
    child,
    fields,
    line_of,
    named,
    text_of,
)
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

_WRAPPERS = frozenset(
    ["type_annotation", "parenthesized_type", "readonly_type", "constraint", "optional_type"]
)
_NAMES = frozenset(["predefined_type", "type_identifier", "nested_type_identifier", "identifier"])
_CONSTANTS = {"true": True, "false": False, "null": None}


def type_term(node: Node | None, depth: int = 0) -> TypeTerm:
    """The type that `node` writes."""
    while node is not None and node.type in _WRAPPERS:
        node = next(iter(named(node)), None)
    if node is None or depth > MAX_DEPTH:
        return UNREAD
    match node.type:
        case kind if kind in _NAMES:
            return Named(text_of(node))
        case "generic_type":
            return Named(text_of(node.child_by_field_name("name")), _arguments(node, depth))
        case "literal_type":
            return _literal(node)
        case "object_type":
            return fields_in(node, depth)
        case _:
            return _composed(node, depth)


def _composed(node: Node, depth: int) -> TypeTerm:
    """A type that is made of others."""
    match node.type:
        case "union_type":
            return AnyOf(tuple(type_term(part, depth + 1) for part in _flat(node)))
        case "intersection_type":
            return AllOf(tuple(type_term(part, depth + 1) for part in _flat(node)))
        case "array_type" if named(node):
            return ListOf(type_term(named(node)[0], depth + 1))
        case "tuple_type":
            return TupleOf(tuple(type_term(item, depth + 1) for item in named(node)))
        case _:
            return UNREAD


def type_arguments(node: Node) -> tuple[TypeTerm, ...]:
    """The types that a call or a class is applied to."""
    return _arguments(node, 0)


def definition(node: Node) -> TypeDefinition | None:
    """The type that a declaration brings, or None where it brings none."""
    name = text_of(node.child_by_field_name("name"))
    parameters = tuple(
        text_of(one.child_by_field_name("name")) for one in named(child(node, "type_parameters"))
    )
    line = line_of(node)
    match node.type:
        case "type_alias_declaration":
            body = type_term(node.child_by_field_name("value"))
            return TypeDefinition(name, line, body, parameters, is_alias=True)
        case "interface_declaration":
            own = fields_in(node.child_by_field_name("body"), 0)
            bases = [
                type_term(base)
                for clause in named(node)
                if clause.type in ("extends_type_clause", "extends_clause")
                for base in fields(clause, "type")
            ]
            body = AllOf((*bases, own)) if bases else own
            return TypeDefinition(name, line, body, parameters)
        case "enum_declaration":
            return TypeDefinition(name, line, _enumerated(node))
        case "class_declaration" | "abstract_class_declaration":
            return TypeDefinition(name, line, _class_fields(node), parameters)
        case _:
            return None


def fields_in(node: Node | None, depth: int) -> Fields:
    """The properties of an interface or an object type. Methods hold no data and don't count."""
    found: list[Field] = []
    others: TypeTerm | None = None
    for member in named(node):
        if member.type == "property_signature":
            term = type_term(member.child_by_field_name("type"), depth + 1)
            optional = child(member, "?") is not None
            found.append(Field(_key(member), term, not optional))
        elif member.type == "index_signature":
            others = type_term(member.child_by_field_name("type"), depth + 1)
    return Fields(tuple(found), others)


def _key(member: Node) -> str:
    name = member.child_by_field_name("name")
    return text_of(name).strip("\"'`")


def _arguments(node: Node, depth: int) -> tuple[TypeTerm, ...]:
    given = child(node, "type_arguments")
    return tuple(type_term(argument, depth + 1) for argument in named(given))


def _flat(node: Node) -> Iterator[Node]:
    """The parts of a union or an intersection, whose tree leans to the left."""
    parts: list[Node] = []
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.type == node.type:
            waiting.extend(named(found))
        else:
            parts.append(found)
    yield from reversed(parts)


def _literal(node: Node) -> TypeTerm:
    inner = named(node)[0] if named(node) else node
    if inner.type == "undefined":
        return Named("undefined")
    if inner.type in _CONSTANTS:
        return Literal(_CONSTANTS[inner.type])
    return Literal(_constant(inner))


def _constant(node: Node) -> str | int | float:
    text = text_of(node)
    if node.type in ("string", "template_string"):
        return text[1:-1]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _enumerated(node: Node) -> TypeTerm:
    values: list[TypeTerm] = []
    for at, member in enumerate(named(node.child_by_field_name("body"))):
        if member.type == "enum_assignment":
            value = member.child_by_field_name("value")
            values.append(Literal(_constant(value)) if value is not None else UNREAD)
        else:
            values.append(Literal(at))
    return AnyOf(tuple(values))


def _class_fields(node: Node) -> TypeTerm:
    """What an instance shows: its public fields and the parameters that become such."""
    found: list[Field] = []
    for member in named(node.child_by_field_name("body")):
        if member.type in ("public_field_definition", "field_definition"):
            found.extend(_field(member))
        elif _method_name(member) == "constructor":
            for parameter in named(member.child_by_field_name("parameters")):
                if child(parameter, "accessibility_modifier", "readonly") is not None:
                    found.extend(_field(parameter, "pattern"))
        elif member.type == "method_definition" and child(member, "get") is not None:
            term = type_term(member.child_by_field_name("return_type"))
            found.append(Field(_method_name(member), term, True))
    heritage = child(node, "class_heritage")
    clause = child(heritage, "extends_clause")
    base = None if clause is None else clause.child_by_field_name("value")
    if clause is not None and base is not None:
        return AllOf((Named(text_of(base), _arguments(clause, 0)), Fields(tuple(found))))
    if heritage is not None and clause is None and child(heritage, "implements_clause") is None:
        return UNREAD
    return Fields(tuple(found))


def _method_name(member: Node) -> str:
    return text_of(member.child_by_field_name("name"))


def _field(node: Node, name_field: str = "name") -> Iterator[Field]:
    access = text_of(child(node, "accessibility_modifier"))
    name_node = node.child_by_field_name(name_field) or node.child_by_field_name("property")
    name = text_of(name_node).strip("\"'`")
    if access in ("private", "protected") or name.startswith("#") or child(node, "static"):
        return
    declared = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    if declared is None and value is not None and value.type in ("arrow_function", "function"):
        return
    optional = child(node, "?") is not None or node.type == "optional_parameter"
    yield Field(name, type_term(declared), not optional)
