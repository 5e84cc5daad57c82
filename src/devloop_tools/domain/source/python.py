"""Python, read into the forms of `syntax`."""

from collections.abc import Callable, Iterator

from devloop_tools.domain.source import literals, python_types
from devloop_tools.domain.source.syntax import (
    Assign,
    Bind,
    Call,
    Choice,
    Class,
    Element,
    Evaluate,
    Expression,
    Function,
    Imported,
    Joined,
    Member,
    Module,
    Opaque,
    Param,
    Record,
    Return,
    Sequence,
    Statement,
    Text,
    take_assigned,
)
from devloop_tools.domain.source.tree import (
    MAX_DEPTH,
    Node,
    fault_in,
    fields,
    line_of,
    named,
    parsed,
    text_of,
)

_BLOCKS = frozenset(
    "module block if_statement elif_clause else_clause while_statement try_statement except_clause"
    " except_group_clause finally_clause match_statement case_clause with_statement ERROR".split()
)
_NO_PARAMETER = frozenset(["keyword_separator", "positional_separator"])


def read_python(content: bytes, path: str) -> Module:
    """The module in `content`."""
    root = parsed(content, path)
    reader = _Reader(path)
    module = reader.module
    module.fault = fault_in(root)
    if root is None:
        return module
    module.body = reader.statements(root, 0, top=True)
    return module


class _Reader:
    def __init__(self, path: str) -> None:
        self.module = Module(path, is_python=True)

    def statements(self, root: Node, depth: int, *, top: bool = False) -> tuple[Statement, ...]:
        """What `root` holds, in the order of the text, blocks laid flat."""
        if depth > MAX_DEPTH:
            return ()
        found: list[Statement] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type in _BLOCKS or node.type == "expression_statement":
                waiting.extend(reversed(named(node)))
            elif node.type == "for_statement":
                found.extend(self._loop(node, depth))
                waiting.extend([*fields(node, "alternative"), *fields(node, "body")])
            elif node.type in ("import_statement", "import_from_statement"):
                self._import(node)
            elif node.type == "with_clause":
                for item in named(node):
                    found.extend(self._with(item, depth))
            else:
                found.extend(self._statement(node, depth, top=top))
        return tuple(found)

    def _statement(self, node: Node, depth: int, *, top: bool) -> Iterator[Statement]:
        match node.type:
            case "decorated_definition":
                marks = [one for one in named(node) if one.type == "decorator"]
                definition = node.child_by_field_name("definition")
                if definition is not None:
                    decorators = tuple(self.expression(named(one)[0], depth) for one in marks)
                    yield self._defined(definition, decorators, depth, top=top)
            case "function_definition" | "class_definition":
                yield self._defined(node, (), depth, top=top)
            case "return_statement":
                for value in named(node):
                    yield Return(self.expression(value, depth))
            case "assignment" | "augmented_assignment":
                yield from self._assignment(node, depth, top=top)
            case "type_alias_statement":
                self._alias_statement(node)
            case "global_statement" | "nonlocal_statement" | "pass_statement":
                return
            case _:
                yield Evaluate(self.expression(node, depth))

    def _defined(
        self, node: Node, decorators: tuple[Expression, ...], depth: int, *, top: bool
    ) -> Bind:
        defined: Function | Class
        if node.type == "class_definition":
            defined = self._class(node, decorators, depth)
            if top:
                definition = python_types.class_definition(node)
                self.module.types.setdefault(defined.name, definition)
        else:
            defined = self.function(node, decorators, depth)
        return Bind(defined.name, defined, defined.line)

    def function(self, node: Node, decorators: tuple[Expression, ...], depth: int) -> Function:
        """A function or method."""
        body = node.child_by_field_name("body")
        returns = node.child_by_field_name("return_type")
        return Function(
            name=text_of(node.child_by_field_name("name")),
            params=tuple(self._params(node, depth)),
            returns=None if returns is None else python_types.type_term(returns),
            line=line_of(node),
            body=None if body is None else self.statements(body, depth + 1),
            decorators=decorators,
        )

    def _params(self, node: Node, depth: int) -> Iterator[Param]:
        for param in named(node.child_by_field_name("parameters")):
            if param.type in _NO_PARAMETER:
                continue
            name_node = param.child_by_field_name("name")
            first = named(param)[0] if named(param) else param
            inner = name_node or (first if param.type == "typed_parameter" else param)
            rest = inner.type in ("list_splat_pattern", "dictionary_splat_pattern")
            if rest and named(inner):
                inner = named(inner)[0]
            declared = param.child_by_field_name("type")
            term = None if declared is None else python_types.type_term(declared)
            value = param.child_by_field_name("value")
            default = None if value is None else self.expression(value, depth + 1)
            yield Param(text_of(inner), term, default is not None or rest, rest, (), default)

    def _class(self, node: Node, decorators: tuple[Expression, ...], depth: int) -> Class:
        name = text_of(node.child_by_field_name("name"))
        members: dict[str, Expression] = {}
        body = node.child_by_field_name("body")
        statements = () if body is None else self.statements(body, depth + 1)
        for statement in statements:
            if isinstance(statement, Bind):
                if isinstance(statement.value, Function):
                    statement.value.of_class = name
                members[statement.name] = statement.value
        take_assigned(members, "self")
        supers = named(node.child_by_field_name("superclasses"))
        bases = [base for base in supers if base.type != "keyword_argument"]
        read = tuple(self.expression(base, depth + 1) for base in bases)
        return Class(name, read, members, line_of(node), decorators)

    def _assignment(self, node: Node, depth: int, *, top: bool) -> Iterator[Statement]:
        targets: list[Node] = []
        value: Node | None = node
        while value is not None and value.type in ("assignment", "augmented_assignment"):
            targets.extend(fields(value, "left"))
            value = value.child_by_field_name("right")
        if value is None:
            return
        declared = text_of(node.child_by_field_name("type")).endswith("TypeAlias")
        read = self.expression(value, depth)
        for target in targets:
            name, line = text_of(target), line_of(target)
            if top and name == "__all__":
                self._listed(read)
            elif top and target.type == "identifier":
                found = python_types.alias(name, value, line, declared=declared)
                if found is not None:
                    self.module.types.setdefault(name, found)
            yield from self._bound(target, read, depth)

    def _bound(self, target: Node, value: Expression, depth: int) -> Iterator[Statement]:
        if depth > MAX_DEPTH:
            return
        if target.type == "identifier":
            if isinstance(value, Function) and not value.name:
                value.name = text_of(target)
            yield Bind(text_of(target), value, line_of(target))
        elif target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            for at, part in enumerate(named(target)):
                of = (
                    value.items[at]
                    if isinstance(value, Sequence) and at < len(value.items)
                    else None
                )
                yield from self._bound(part, of or Element(value), depth + 1)
        elif target.type in ("attribute", "subscript"):
            yield Assign(self.expression(target, depth), value, line_of(target))

    def _listed(self, value: Expression) -> None:
        names = list(self.module.listed or [])
        waiting: list[Expression] = [value]
        while waiting:
            found = waiting.pop()
            if isinstance(found, Sequence):
                names.extend(
                    "".join(part for part in item.parts if isinstance(part, str))
                    for item in found.items
                    if isinstance(item, Text)
                )
            elif isinstance(found, Joined):
                waiting.extend([found.right, found.left])
        self.module.listed = names

    def _alias_statement(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        if left is None:
            return
        name = text_of(left).partition("[")[0].strip()
        found = python_types.alias(
            name, node.child_by_field_name("right"), line_of(node), declared=True
        )
        if found is not None:
            self.module.types.setdefault(name, found)

    def _loop(self, node: Node, depth: int) -> Iterator[Statement]:
        target, values = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is not None and values is not None:
            yield from self._bound(target, Element(self.expression(values, depth)), depth)

    def _with(self, item: Node, depth: int) -> Iterator[Statement]:
        value = item.child_by_field_name("value")
        if value is None:
            return
        if value.type != "as_pattern":
            yield Evaluate(self.expression(value, depth))
            return
        read = self.expression(named(value)[0], depth)
        alias = value.child_by_field_name("alias")
        target = named(alias)[0] if named(alias) else alias
        if target is not None:
            yield Bind(text_of(target), read, line_of(item))

    def _import(self, node: Node) -> None:
        imports = self.module.imports
        source = text_of(node.child_by_field_name("module_name")).replace(" ", "")
        if any(one.type == "wildcard_import" for one in node.children):
            self.module.star_imports.append(source)
        for one in fields(node, "name"):
            inner = one.child_by_field_name("name") if one.type == "aliased_import" else one
            name, alias = text_of(inner), text_of(one.child_by_field_name("alias"))
            if source:
                imports[alias or name] = Imported(source, name)
            elif alias:
                imports[alias] = Imported(name, "*")
            else:
                imports[name.partition(".")[0]] = Imported(name.partition(".")[0], "*")

    def expression(self, node: Node, depth: int) -> Expression:
        """An expression; what isn't known is Opaque with its parts."""
        while node.type in ("parenthesized_expression", "await", "type") and named(node):
            node = named(node)[0]
        if depth > MAX_DEPTH:
            return Opaque()
        if (read := _EXPRESSIONS.get(node.type)) is not None:
            return read(self, node, depth + 1)
        return Opaque(tuple(self.expression(part, depth + 1) for part in named(node)))

    def _call(self, node: Node, depth: int) -> Expression:
        callee = node.child_by_field_name("function")
        function: Expression = Opaque() if callee is None else self.expression(callee, depth)
        arguments: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        given = node.child_by_field_name("arguments")
        for argument in named(given) if given is not None else []:
            if argument.type == "keyword_argument":
                value = argument.child_by_field_name("value")
                if value is not None:
                    name = text_of(argument.child_by_field_name("name"))
                    keywords.append((name, self.expression(value, depth)))
            else:
                arguments.append(self.expression(argument, depth))
        name_node = None if callee is None else callee.child_by_field_name("attribute")
        line = line_of(name_node or node)
        return Call(function, tuple(arguments), tuple(keywords), line)

    def _member(self, node: Node, depth: int) -> Expression:
        of = node.child_by_field_name("object")
        read: Expression = Opaque() if of is None else self.expression(of, depth)
        return Member(read, text_of(node.child_by_field_name("attribute")))

    def _subscript(self, node: Node, depth: int) -> Expression:
        of, keys = node.child_by_field_name("value"), list(fields(node, "subscript"))
        read: Expression = Opaque() if of is None else self.expression(of, depth)
        read_keys = tuple(self.expression(key, depth) for key in keys)
        key = read_keys[0] if len(read_keys) == 1 else Sequence(read_keys, is_tuple=True)
        if isinstance(key, Text) and all(isinstance(part, str) for part in key.parts):
            return Member(read, "".join(str(part) for part in key.parts))
        return Member(read, "", key)

    def _text(self, node: Node, depth: int) -> Expression:
        parts: list[str | Expression] = []
        for piece in named(node) if node.type == "concatenated_string" else [node]:
            for part in named(piece):
                inner = part.child_by_field_name("expression")
                if part.type == "string_content":
                    parts.append(text_of(part))
                elif inner is not None:
                    parts.append(self.expression(inner, depth))
        return Text(tuple(parts))

    def _binary(self, node: Node, depth: int) -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return Opaque()
        pair = self.expression(left, depth), self.expression(right, depth)
        operator = text_of(node.child_by_field_name("operator"))
        if operator == "+":
            return Joined(*pair)
        return Choice(pair) if operator == "or" else Opaque(pair)

    def _conditional(self, node: Node, depth: int) -> Expression:
        parts = named(node)
        return Choice(tuple(self.expression(part, depth) for part in (parts[0], parts[-1])))

    def _dictionary(self, node: Node, depth: int) -> Expression:
        entries: list[tuple[str, Expression]] = []
        spreads: list[Expression] = []
        for part in named(node):
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and value is not None:
                read = self.expression(key, depth)
                name = read.parts[0] if isinstance(read, Text) and len(read.parts) == 1 else ""
                entries.append(
                    (name if isinstance(name, str) else "", self.expression(value, depth))
                )
            else:
                spreads.extend(self.expression(inner, depth) for inner in named(part))
        return Record(tuple(entries), tuple(spreads))

    def _sequence(self, node: Node, depth: int) -> Expression:
        items = [
            Element(self.expression(named(item)[0], depth))
            if item.type == "list_splat" and named(item)
            else self.expression(item, depth)
            for item in named(node)
        ]
        return Sequence(tuple(items), node.type in ("tuple", "expression_list"))

    def _lambda(self, node: Node, depth: int) -> Expression:
        body = node.child_by_field_name("body")
        returned = () if body is None else (Return(self.expression(body, depth)),)
        return Function("", tuple(self._params(node, depth)), None, line_of(node), returned)


_EXPRESSIONS: dict[str, Callable[[_Reader, Node, int], Expression]] = {
    "identifier": literals.name,
    "call": _Reader._call,
    "attribute": _Reader._member,
    "subscript": _Reader._subscript,
    "string": _Reader._text,
    "concatenated_string": _Reader._text,
    "integer": literals.number,
    "binary_operator": _Reader._binary,
    "boolean_operator": _Reader._binary,
    "conditional_expression": _Reader._conditional,
    "dictionary": _Reader._dictionary,
    "list": _Reader._sequence,
    "tuple": _Reader._sequence,
    "set": _Reader._sequence,
    "expression_list": _Reader._sequence,
    "lambda": _Reader._lambda,
    "none": literals.null,
}
