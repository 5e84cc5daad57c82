"""What patterns and parameters of JavaScript bind."""

from collections.abc import Callable, Iterator

from devloop_tools.domain.source import script_types
from devloop_tools.domain.source.syntax import Bind, Element, Expression, Member, Param
from devloop_tools.domain.source.tree import MAX_DEPTH, Node, named, text_of

ReadExpression = Callable[[Node], Expression]


def bound(target: Node, value: Expression, line: int, depth: int) -> Iterator[Bind]:
    """What a name or a pattern binds."""
    if depth > MAX_DEPTH:
        return
    if target.type in ("identifier", "shorthand_property_identifier_pattern"):
        yield Bind(text_of(target), value, line)
    elif target.type == "object_pattern":
        for part in named(target):
            key, inner = pattern_part(part)
            if inner is not None:
                yield from bound(inner, Member(value, key), line, depth + 1)
    elif target.type == "array_pattern":
        for part in named(target):
            yield from bound(part, Element(value), line, depth + 1)


def params_of(node: Node, read: ReadExpression) -> Iterator[Param]:
    """The parameters of a function, whose defaults `read` reads."""
    single = node.child_by_field_name("parameter")
    listed = [single] if single is not None else named(node.child_by_field_name("parameters"))
    for param in listed:
        pattern = param.child_by_field_name("pattern") or param
        declared = param.child_by_field_name("type")
        term = None if declared is None else script_types.type_term(declared)
        value = param.child_by_field_name("value") or param.child_by_field_name("right")
        default = None if value is None else read(value)
        optional = param.type == "optional_parameter" or default is not None
        if param.type == "assignment_pattern":
            pattern = param.child_by_field_name("left") or param
        rest = pattern.type == "rest_pattern"
        if rest and named(pattern):
            pattern = named(pattern)[0]
        if pattern.type == "this":
            continue
        keys: list[tuple[str, str]] = []
        if pattern.type == "object_pattern":
            for part in named(pattern):
                key, inner = pattern_part(part)
                if inner is not None:
                    keys.append((key, text_of(inner)))
        name = text_of(pattern) if pattern.type == "identifier" else ""
        yield Param(name, term, optional or rest, rest, tuple(keys), default)


def pattern_part(part: Node) -> tuple[str, Node | None]:
    """The key that a part of an object pattern takes, and what it binds it to."""
    if part.type == "pair_pattern":
        key = text_of(part.child_by_field_name("key"))
        value = part.child_by_field_name("value")
        if value is not None and value.type == "assignment_pattern":
            value = value.child_by_field_name("left")
        return key, value
    if part.type == "object_assignment_pattern":
        left = part.child_by_field_name("left")
        return text_of(left), left
    if part.type == "shorthand_property_identifier_pattern":
        return text_of(part), part
    return "", None
