"""What a JavaScript or TypeScript module imports and gives out, by ES modules and CommonJS."""

from collections.abc import Iterable
from typing import Protocol

from devloop_tools.domain.source.syntax import (
    Assign,
    Bind,
    Call,
    Evaluate,
    Export,
    Expression,
    Imported,
    Member,
    Module,
    Name,
    Record,
    Statement,
    Text,
)
from devloop_tools.domain.source.tree import Node, child, line_of, named, text_of

_DECLARES_NAME = frozenset(
    "function_declaration generator_function_declaration class_declaration function_signature"
    " abstract_class_declaration interface_declaration type_alias_declaration"
    " enum_declaration".split()
)


class ExpressionReader(Protocol):
    """Reads one expression, for what is exported without a name."""

    def expression(self, node: Node, depth: int) -> Expression: ...


class ModuleParts:
    """Fills in the imports and exports of `module` as its statements go by."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._required: dict[str, str] = {}
        self.nameless: list[Evaluate] = []
        """What is exported without standing in a statement."""

    def declared_by(self, node: Node, reader: ExpressionReader) -> list[Node]:
        """Note what an import or export says; the declarations inside, still to be read."""
        if node.type == "import_statement":
            self._import(node)
            return []
        source = _source_of(node)
        clause = child(node, "export_clause")
        if clause is not None:
            self._export_clause(clause, source)
        elif (space := child(node, "namespace_export")) is not None and source is not None:
            name = text_of(named(space)[0])
            self._export(name, Imported(source, "*"), line_of(node))
        elif source is not None:
            self._module.star_exports.append(source)
        elif (declaration := node.child_by_field_name("declaration")) is not None:
            self._export_declaration(node, declaration)
            return [declaration]
        elif (value := _exported_value(node)) is not None:
            self._export_value(value, reader)
        return []

    def finish(self, body: tuple[Statement, ...]) -> None:
        """Note what CommonJS gives out: `module.exports`, `exports.name` and their spellings."""
        for statement in body:
            if isinstance(statement, Bind):
                if (source := _required(statement.value)) is not None:
                    self._required[statement.name] = source
            elif isinstance(statement, Assign):
                self._assigned(statement)
            elif isinstance(statement, Evaluate) and isinstance(statement.value, Call):
                self._called(statement.value)

    def _import(self, node: Node) -> None:
        source = _source_of(node)
        imports = self._module.imports
        if (required := child(node, "import_require_clause")) is not None:
            source = _source_of(required)
            if source is not None:
                imports[text_of(child(required, "identifier"))] = Imported(source, "*")
            return
        if source is None:
            return
        for part in named(child(node, "import_clause")):
            if part.type == "identifier":
                imports[text_of(part)] = Imported(source, "default")
            elif part.type == "namespace_import":
                imports[text_of(named(part)[0])] = Imported(source, "*")
            for one in named(part) if part.type == "named_imports" else []:
                name = text_of(one.child_by_field_name("name")).strip("\"'")
                alias = text_of(one.child_by_field_name("alias")) or name
                imports[alias] = Imported(source, name)

    def _export_clause(self, clause: Node, source: str | None) -> None:
        for one in named(clause):
            name = text_of(one.child_by_field_name("name")).strip("\"'")
            alias = text_of(one.child_by_field_name("alias")).strip("\"'") or name
            what = name if source is None else Imported(source, name)
            self._export(alias, what, line_of(one))

    def _export_declaration(self, node: Node, declaration: Node) -> None:
        is_default = child(node, "default") is not None
        for name, line in _names_declared(declaration):
            self._export("default" if is_default else name, name, line)

    def _export_value(self, value: Node, reader: ExpressionReader) -> None:
        read = reader.expression(value, 0)
        if not isinstance(read, Name):
            self.nameless.append(Evaluate(read))
        self._export("default", _local(read), line_of(value))

    def _assigned(self, statement: Assign) -> None:
        target = statement.target
        if not isinstance(target, Member):
            return
        if _is_exports(target):
            self._whole(statement.value, statement.line)
        elif _is_exports(target.of):
            self._export(target.name, _local(statement.value), statement.line)

    def _whole(self, value: Expression, line: int) -> None:
        """`module.exports = value`: an object's entries by name, anything else as the default."""
        if not isinstance(value, Record):
            if (required := _required(value)) is not None:
                self._module.star_exports.append(required)
            self._export("default", _local(value), line)
            return
        for name, entry in value.entries:
            self._export(name, _local(entry), line)
        self._spread(value.spreads)

    def _spread(self, values: Iterable[Expression]) -> None:
        for value in values:
            if (required := _required(value)) is not None:
                self._module.star_exports.append(required)
            elif isinstance(value, Name) and value.name in self._required:
                self._module.star_exports.append(self._required[value.name])
            elif isinstance(value, Name) and value.name in self._module.imports:
                self._module.star_exports.append(self._module.imports[value.name].module)

    def _called(self, call: Call) -> None:
        """`Object.assign(exports, a, {b})` and what TypeScript makes of `export *`."""
        function = call.function
        if not isinstance(function, Member) or not call.arguments:
            return
        if function.name == "assign" and _is_exports(call.arguments[0]):
            for value in call.arguments[1:]:
                if isinstance(value, Record):
                    self._whole(value, call.line)
                else:
                    self._spread([value])

    def _export(self, name: str, what: str | Imported | Expression, line: int) -> None:
        self._module.exports.append(Export(name, what, line))


def _source_of(node: Node) -> str | None:
    source = node.child_by_field_name("source")
    return None if source is None else text_of(source)[1:-1]


def _exported_value(node: Node) -> Node | None:
    value = node.child_by_field_name("value")
    if value is None and child(node, "=") is not None and named(node):
        return named(node)[0]
    return value


def _names_declared(declaration: Node) -> list[tuple[str, int]]:
    if declaration.type == "ambient_declaration":
        return [pair for inner in named(declaration) for pair in _names_declared(inner)]
    if declaration.type in _DECLARES_NAME:
        return [(text_of(declaration.child_by_field_name("name")), line_of(declaration))]
    found = []
    for one in named(declaration):
        name = one.child_by_field_name("name")
        if one.type == "variable_declarator" and name is not None and name.type == "identifier":
            found.append((text_of(name), line_of(one)))
        elif one.type == "variable_declarator" and name is not None:
            found.extend((text_of(part), line_of(part)) for part in named(name))
    return found


def _is_exports(value: Expression) -> bool:
    if isinstance(value, Member):
        return value.name == "exports" and isinstance(value.of, Name) and value.of.name == "module"
    return isinstance(value, Name) and value.name == "exports"


def _local(value: Expression) -> str | Expression:
    return value.name if isinstance(value, Name) else value


def _required(value: Expression) -> str | None:
    """The module that `require('x')` names."""
    if isinstance(value, Call) and isinstance(value.function, Name) and value.arguments:
        [first, *_] = value.arguments
        if value.function.name == "require" and isinstance(first, Text):
            return "".join(part for part in first.parts if isinstance(part, str))
    return None
