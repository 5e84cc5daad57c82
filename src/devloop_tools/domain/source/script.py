"""JavaScript and TypeScript, read into the forms of `syntax`."""

from collections.abc import Callable, Iterator

from devloop_tools.domain.source import literals, script_types
from devloop_tools.domain.source.script_bindings import bound, params_of
from devloop_tools.domain.source.script_modules import ModuleParts
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
    Joined,
    Member,
    Module,
    Name,
    Opaque,
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
    child,
    fault_in,
    line_of,
    named,
    parsed,
    text_of,
)

_BLOCKS = frozenset(
    "program statement_block if_statement else_clause for_statement while_statement do_statement"
    " try_statement catch_clause finally_clause switch_statement switch_body switch_case"
    " switch_default labeled_statement class_static_block ambient_declaration ERROR"
    " sequence_expression".split()
)
_FUNCTIONS = frozenset(
    "function_declaration generator_function_declaration function_expression arrow_function"
    " generator_function method_definition function_signature function".split()
)
_CLASSES = frozenset(["class_declaration", "abstract_class_declaration", "class"])
_TRANSPARENT = frozenset(
    "parenthesized_expression await_expression as_expression satisfies_expression"
    " non_null_expression type_assertion assignment_expression".split()
)
_TYPES = frozenset(["interface_declaration", "type_alias_declaration", "enum_declaration"])


def read_script(content: bytes, path: str) -> Module:
    """The module in `content`, JavaScript or TypeScript by the ending of `path`."""
    root = parsed(content, path)
    reader = _Reader(path)
    module = reader.module
    module.fault = fault_in(root)
    if root is None:
        return module
    body = reader.statements(root, 0, top=True)
    module.body = (*body, *reader.parts.nameless)
    reader.parts.finish(module.body)
    return module


class _Reader:
    def __init__(self, path: str) -> None:
        self.module = Module(path, is_python=False)
        self.parts = ModuleParts(self.module)

    def statements(self, root: Node, depth: int, *, top: bool = False) -> tuple[Statement, ...]:
        """What `root` holds, in the order of the text, blocks laid flat."""
        if depth > MAX_DEPTH:
            return ()
        found: list[Statement] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type in _BLOCKS:
                waiting.extend(reversed(named(node)))
            elif node.type == "expression_statement":
                waiting.extend(reversed(named(node)))
            elif node.type == "for_in_statement":
                found.extend(self._loop(node, depth))
                if (body := node.child_by_field_name("body")) is not None:
                    waiting.append(body)
            elif top and node.type in ("export_statement", "import_statement"):
                waiting.extend(reversed(self.parts.declared_by(node, self)))
            else:
                found.extend(self._statement(node, depth))
        return tuple(found)

    def _statement(self, node: Node, depth: int) -> Iterator[Statement]:
        kind = node.type
        if kind in _TYPES:
            self._define(node)
        elif kind in ("lexical_declaration", "variable_declaration"):
            for declarator in named(node):
                yield from self._binding(declarator, depth)
                yield from self._assigned_on_the_way(declarator, depth)
        elif kind in (
            "function_declaration",
            "generator_function_declaration",
            "function_signature",
        ):
            function = self.function(node, depth)
            yield Bind(function.name, function, function.line)
        elif kind in ("class_declaration", "abstract_class_declaration"):
            self._define(node)
            read = self.klass(node, depth)
            yield Bind(read.name, read, read.line)
        elif kind == "return_statement":
            yield from self._returned(named(node)[0] if named(node) else None, depth)
        elif kind in ("assignment_expression", "augmented_assignment_expression"):
            yield from self._assignment(node, depth)
        elif not kind.endswith(("_type", "identifier")) or kind == "identifier":
            yield Evaluate(self.expression(node, depth))

    def _define(self, node: Node) -> None:
        if (found := script_types.definition(node)) is not None:
            self.module.types.setdefault(found.name, found)

    def _returned(self, node: Node | None, depth: int) -> Iterator[Statement]:
        if node is None:
            return
        while node.type == "parenthesized_expression" and len(named(node)) == 1:
            node = named(node)[0]
        if node.type == "assignment_expression":
            yield from self._assignment(node, depth)
        else:
            yield Return(self.expression(node, depth))

    def _binding(self, node: Node, depth: int) -> Iterator[Bind]:
        value_node = node.child_by_field_name("value")
        value = Opaque() if value_node is None else self.expression(value_node, depth)
        target = node.child_by_field_name("name")
        if target is None:
            return
        if isinstance(value, Function | Class) and target.type == "identifier":
            value.name = value.name or text_of(target)
            value.line = line_of(node)
        yield from bound(target, value, line_of(node), 0)

    def _assigned_on_the_way(self, declarator: Node, depth: int) -> Iterator[Statement]:
        """`const app = (module.exports = express())`."""
        value = declarator.child_by_field_name("value")
        while value is not None and value.type == "parenthesized_expression" and named(value):
            value = named(value)[0]
        if value is not None and value.type == "assignment_expression":
            name = declarator.child_by_field_name("name")
            for one in self._assignment(value, depth):
                if isinstance(one, Assign) and name is not None:
                    yield Assign(one.target, Name(text_of(name)), one.line)

    def _loop(self, node: Node, depth: int) -> Iterator[Bind]:
        target = node.child_by_field_name("left")
        values = node.child_by_field_name("right")
        if target is not None and values is not None:
            value = Element(self.expression(values, depth))
            yield from bound(target, value, line_of(node), 0)

    def _assignment(self, node: Node, depth: int) -> Iterator[Statement]:
        targets: list[Node] = []
        value: Node | None = node
        while value is not None and value.type.endswith("assignment_expression"):
            left = value.child_by_field_name("left")
            targets.extend([] if left is None else [left])
            value = value.child_by_field_name("right")
        if value is None:
            return
        read = self.expression(value, depth)
        for target in targets:
            yield Assign(self.expression(target, depth), read, line_of(target))

    def expression(self, node: Node, depth: int) -> Expression:
        """An expression; what isn't known is Opaque with its parts."""
        while node.type in _TRANSPARENT and named(node):
            node = named(node)[-1 if node.type == "assignment_expression" else 0]
        if depth > MAX_DEPTH:
            return Opaque()
        if node.type in _FUNCTIONS:
            return self.function(node, depth)
        if node.type in _CLASSES:
            return self.klass(node, depth)
        if (read := _EXPRESSIONS.get(node.type)) is not None:
            return read(self, node, depth + 1)
        return Opaque(tuple(self.expression(part, depth + 1) for part in named(node)))

    def function(self, node: Node, depth: int) -> Function:
        """A function, method or arrow; an arrow's expression is what it returns."""
        body = node.child_by_field_name("body")
        statements: tuple[Statement, ...] | None = None
        if body is not None and body.type == "statement_block":
            statements = self.statements(body, depth + 1)
        elif body is not None:
            statements = tuple(self._returned(body, depth + 1))
        returns = node.child_by_field_name("return_type")
        return Function(
            name=text_of(node.child_by_field_name("name")),
            params=tuple(params_of(node, lambda value: self.expression(value, depth + 1))),
            returns=None if returns is None else script_types.type_term(returns),
            line=line_of(node),
            body=statements,
        )

    def klass(self, node: Node, depth: int) -> Class:
        """A class; its members are methods, fields and what methods assign to `this`."""
        heritage = child(node, "class_heritage")
        clause = child(heritage, "extends_clause")
        base = heritage if clause is None else clause.child_by_field_name("value")
        bases = () if base is None else (self.expression(base, depth + 1),)
        name = text_of(node.child_by_field_name("name"))
        members: dict[str, Expression] = {}
        for member in named(node.child_by_field_name("body")):
            key = member.child_by_field_name("name") or member.child_by_field_name("property")
            if member.type == "method_definition":
                method = self.function(member, depth + 1)
                method.of_class = name or "?"
                members[method.name] = method
            elif key is not None and (value := member.child_by_field_name("value")) is not None:
                members[text_of(key)] = self.expression(value, depth + 1)
        take_assigned(members, "this")
        return Class(name, bases, members, line_of(node))

    def _call(self, node: Node, depth: int) -> Expression:
        """A call, or a chain of them, which is read from its end to its start without nesting."""
        chain = [node]
        while True:
            function = chain[-1].child_by_field_name("function")
            inner = None if function is None else function.child_by_field_name("object")
            if inner is None or inner.type != "call_expression" or function is None:
                break
            if function.type != "member_expression":
                break
            chain.append(inner)
        read: Expression | None = None
        for link in reversed(chain):
            read = self._link(link, read, depth)
        assert read is not None
        return read

    def _link(self, node: Node, receiver: Expression | None, depth: int) -> Expression:
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        line = line_of(node)
        function: Expression
        if callee is None:
            function = Opaque()
        elif callee.type == "import":
            function = Name("import")
        elif receiver is not None:
            name = callee.child_by_field_name("property")
            function = Member(receiver, text_of(name))
        else:
            function = self.expression(callee, depth)
        if callee is not None and (name := callee.child_by_field_name("property")) is not None:
            line = line_of(name)
        given = node.child_by_field_name("arguments")
        if given is not None and given.type != "arguments":
            arguments: tuple[Expression, ...] = (self.expression(given, depth),)
        else:
            arguments = tuple(self.expression(argument, depth) for argument in named(given))
        return Call(function, arguments, (), line, script_types.type_arguments(node))

    def _member(self, node: Node, depth: int) -> Expression:
        inner = node.child_by_field_name("object")
        of: Expression = Opaque() if inner is None else self.expression(inner, depth)
        index = node.child_by_field_name("index")
        if index is None:
            return Member(of, text_of(node.child_by_field_name("property")))
        key = self.expression(index, depth)
        if isinstance(key, Text) and all(isinstance(part, str) for part in key.parts):
            return Member(of, "".join(str(part) for part in key.parts))
        return Member(of, "", key)

    def _object(self, node: Node, depth: int) -> Expression:
        entries: list[tuple[str, Expression]] = []
        spreads: list[Expression] = []
        for part in named(node):
            match part.type:
                case "pair":
                    value = part.child_by_field_name("value")
                    key = text_of(part.child_by_field_name("key")).strip("\"'`")
                    if value is not None:
                        entries.append((key, self.expression(value, depth)))
                case "shorthand_property_identifier":
                    entries.append((text_of(part), Name(text_of(part))))
                case "method_definition":
                    method = self.function(part, depth)
                    entries.append((method.name, method))
                case "spread_element":
                    spreads.extend(self.expression(inner, depth) for inner in named(part))
        return Record(tuple(entries), tuple(spreads))

    def _text(self, node: Node, depth: int) -> Expression:
        parts: list[str | Expression] = []
        for part in node.named_children:
            if part.type == "template_substitution":
                parts.extend(self.expression(inner, depth) for inner in named(part))
            elif part.type == "escape_sequence":
                parts.append(_unescaped(text_of(part)))
            else:
                parts.append(text_of(part))
        return Text(tuple(parts))

    def _binary(self, node: Node, depth: int) -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return Opaque()
        pair = self.expression(left, depth), self.expression(right, depth)
        match text_of(node.child_by_field_name("operator")):
            case "+":
                return Joined(*pair)
            case "||" | "??":
                return Choice(pair)
            case _:
                return Opaque(pair)

    def _conditional(self, node: Node, depth: int) -> Expression:
        options = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        return Choice(tuple(self.expression(one, depth) for one in options if one is not None))

    def _array(self, node: Node, depth: int) -> Expression:
        items = [
            Element(self.expression(named(item)[0], depth))
            if item.type == "spread_element" and named(item)
            else self.expression(item, depth)
            for item in named(node)
        ]
        return Sequence(tuple(items))


_EXPRESSIONS: dict[str, Callable[[_Reader, Node, int], Expression]] = {
    "identifier": literals.name,
    "this": literals.name,
    "call_expression": _Reader._call,
    "new_expression": _Reader._call,
    "member_expression": _Reader._member,
    "subscript_expression": _Reader._member,
    "object": _Reader._object,
    "array": _Reader._array,
    "string": _Reader._text,
    "template_string": _Reader._text,
    "number": literals.number,
    "null": literals.null,
    "undefined": literals.null,
    "binary_expression": _Reader._binary,
    "ternary_expression": _Reader._conditional,
}


def _unescaped(text: str) -> str:
    return {"\\n": "\n", "\\t": "\t"}.get(text, text[1:])
