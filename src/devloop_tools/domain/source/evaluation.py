"""What names and expressions stand for, as far as the text of a unit's modules says it.

Nothing is run. A function has one scope, whoever calls it; a name stands for everything that
is bound to it; a parameter stands for what the calls in the unit give.
"""

import itertools
import posixpath
from collections import defaultdict
from collections.abc import Iterator

from devloop_tools.domain.source.program import Program
from devloop_tools.domain.source.scopes import (
    External,
    Given,
    Ground,
    Instance,
    Scope,
    Space,
    Thing,
    names_in,
)
from devloop_tools.domain.source.syntax import (
    Call,
    Choice,
    Class,
    Element,
    Export,
    Expression,
    Function,
    Imported,
    Member,
    Module,
    Name,
    Record,
    Return,
)
from devloop_tools.domain.source.texts import MAX_STEPS, MAX_TEXTS, TextReading

MAX_GROUNDS = 64
"""So many meanings of one expression are told apart: choices of choices double with each step."""


class Evaluation:
    """Answers what expressions of a program stand for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes: dict[int, Scope] = {}
        self._reading = TextReading(self)
        self._known: dict[tuple[int, int], list[Ground]] = {}
        self._parts: dict[tuple[int, str], Member] = {}
        self.sites: dict[int, list[tuple[Call, Scope]]] = defaultdict(list)
        """The calls of each function, by its identity."""

    def know_call(self, function: Function, call: Call, scope: Scope) -> None:
        """Note that `call`, which stands in `scope`, calls `function`."""
        self.sites[id(function)].append((call, scope))

    def forget(self) -> None:
        """Forget what was found before all calls were known."""
        self._known.clear()
        self._reading.forget()

    def module_scope(self, module: Module) -> Scope:
        """The scope of a module's own names."""
        if (found := self._scopes.get(id(module))) is None:
            found = self._scopes[id(module)] = Scope(module, names=names_in(module.body))
        return found

    def function_scope(self, function: Function, outer: Scope) -> Scope:
        """The scope inside a function that stands in `outer`."""
        if (found := self._scopes.get(id(function))) is None:
            found = Scope(outer.module, outer, names_in(function.body or ()), function=function)
            for at, param in enumerate(function.params):
                if param.name:
                    found.params[param.name] = Given(function, at)
                for key, name in param.keys:
                    found.params[name] = Given(function, at, key)
            self._scopes[id(function)] = found
        return found

    def class_scope(self, klass: Class, outer: Scope) -> Scope:
        """The scope that the methods of a class stand in."""
        if (found := self._scopes.get(id(klass))) is None:
            found = self._scopes[id(klass)] = Scope(outer.module, outer, itself=klass)
        return found

    def ground(self, expression: Expression, scope: Scope, steps: int = 0) -> list[Ground]:
        """What `expression` stands for in the end; empty where it can't be said."""
        if steps > MAX_STEPS:
            return []
        key = (id(expression), id(scope))
        if (known := self._known.get(key)) is None:
            self._known[key] = []  # what leads back to itself stands for nothing
            found = self._ground(expression, scope, steps + 1)
            known = self._known[key] = list(itertools.islice(found, MAX_GROUNDS))
        return known

    def _ground(self, expression: Expression, scope: Scope, steps: int) -> Iterator[Ground]:
        match expression:
            case Name(name):
                yield from self._named(name, scope, steps)
            case Member(of, name, key):
                names = [name] if key is None else self.texts(key, scope, steps)
                for thing, where in self.ground(of, scope, steps):
                    for one in names:
                        yield from self._member(thing, one, where, steps)
            case Element(of):
                for item, where in self._reading.items(of, scope, steps):
                    yield from self.ground(item, where, steps)
            case Choice(options):
                for option in options:
                    yield from self.ground(option, scope, steps)
            case Call():
                yield from self._called(expression, scope, steps)
            case _:
                yield expression, scope

    def _named(self, name: str, scope: Scope, steps: int) -> Iterator[Ground]:
        inner: Scope | None = scope
        while inner is not None:
            if name in ("this", "self") and inner.itself is not None:
                yield Instance(inner.itself), inner
                return
            if (bound := inner.names.get(name)) is not None:
                for value in bound:
                    yield from self.ground(value, inner, steps)
                return
            if name in inner.params:
                if name not in ("self", "cls", "this"):
                    yield inner.params[name], inner
                    return
            inner = inner.parent
        module = scope.module
        if (imported := module.imports.get(name)) is not None:
            yield from self._imported(module, imported, steps)
            return
        for spelled in module.star_imports:
            starred = self._program.find(module, spelled)
            if starred is not None and (found := self.exported(starred, name, steps)):
                yield from found
                return
        yield External(name), scope

    def _imported(self, module: Module, imported: Imported, steps: int) -> Iterator[Ground]:
        scope = self.module_scope(module)
        source = self._program.find(module, imported.module)
        if imported.name == "*":
            yield self._space(module, imported.module, source), scope
        elif source is not None and (found := self.exported(source, imported.name, steps)):
            yield from found
        elif module.is_python:
            space = self._space(module, imported.module, source)
            yield from self._member(space, imported.name, scope, steps)
        elif source is None:
            yield _external(imported.module, imported.name), scope
        elif imported.name == "default":
            yield Space(source), scope

    def _space(self, module: Module, spelled: str, source: Module | None) -> Thing:
        if module.is_python:
            folder = self._program.python_folder(module, spelled)
            if source is not None or folder is not None:
                inside = posixpath.dirname(source.path) if source is not None else folder
                return Space(source, inside or "")
        elif source is not None:
            return Space(source)
        return External(spelled)

    def exported(self, module: Module, name: str, steps: int = 0) -> list[Ground]:
        """What a module gives out as `name`."""
        if steps > MAX_STEPS:
            return []
        scope = self.module_scope(module)
        if module.is_python:
            if name in scope.names or name in module.imports:
                return list(self._named(name, scope, steps + 1))
            for spelled in module.star_imports:
                source = self._program.find(module, spelled)
                if source is not None and (found := self.exported(source, name, steps + 1)):
                    return found
            return []
        if (export := module.export(name)) is not None:
            return list(self._export(module, export, scope, steps + 1))
        for spelled in module.star_exports:
            source = self._program.find(module, spelled)
            if source is not None and (found := self.exported(source, name, steps + 1)):
                return found
        return []

    def _export(self, module: Module, export: Export, scope: Scope, steps: int) -> Iterator[Ground]:
        if isinstance(export.what, str):
            yield from self._named(export.what, scope, steps)
        elif isinstance(export.what, Imported):
            yield from self._imported(module, export.what, steps)
        else:
            yield from self.ground(export.what, scope, steps)

    def _member(self, thing: Thing, name: str, scope: Scope, steps: int) -> Iterator[Ground]:
        match thing:
            case Space(module, folder):
                yield from self._of_space(module, folder, name, scope, steps)
            case External(outer):
                yield _external(outer, name), scope
            case Record():
                yield from self._of_record(thing, name, scope, steps)
            case Class() | Instance():
                yield from self._of_class(thing, name, scope, steps)
            case Given():
                for argument, where in self.arguments(thing):
                    for inner, place in self.ground(argument, where, steps):
                        if not isinstance(inner, Given):
                            yield from self._member(inner, name, place, steps)
            case _:
                return

    def _of_record(self, record: Record, name: str, scope: Scope, steps: int) -> Iterator[Ground]:
        if (entry := record.get(name)) is not None:
            yield from self.ground(entry, scope, steps)
            return
        for spread in record.spreads:
            for inner, where in self.ground(spread, scope, steps):
                yield from self._member(inner, name, where, steps)

    def _of_space(
        self, module: Module | None, folder: str, name: str, scope: Scope, steps: int
    ) -> Iterator[Ground]:
        if module is not None and (found := self.exported(module, name, steps)):
            yield from found
            return
        if module is None or module.is_python:
            inside = self._program.submodule(folder, name)
            below = posixpath.join(folder, name)
            if inside is not None:
                yield Space(inside, posixpath.dirname(inside.path)), scope
            elif any(path.startswith(f"{below}/") for path in self._program.modules):
                yield Space(None, below), scope
        elif name == "default":
            yield Space(module), scope
        else:
            for thing, where in self.exported(module, "default", steps):
                yield from self._member(thing, name, where, steps)

    def _of_class(
        self, thing: Class | Instance, name: str, scope: Scope, steps: int
    ) -> Iterator[Ground]:
        first = thing.klass if isinstance(thing, Instance) else thing
        waiting: list[tuple[Class, Scope]] = [(first, scope)]
        seen = set[int]()
        while waiting:
            klass, scope = waiting.pop()
            if id(klass) in seen:
                continue
            seen.add(id(klass))
            if (value := klass.members.get(name)) is not None:
                yield from self._of_member(klass, value, scope, steps)
                continue
            found = [one for base in klass.bases for one in self.ground(base, scope, steps)]
            bases = [(base, where) for base, where in found if isinstance(base, Class)]
            waiting.extend(reversed(bases))

    def _of_member(
        self, klass: Class, value: Expression, scope: Scope, steps: int
    ) -> Iterator[Ground]:
        inside = self._scopes.get(id(klass), scope)
        if isinstance(value, Function):
            yield value, inside
            return
        method = next((one for one in klass.members.values() if isinstance(one, Function)), None)
        where = inside if method is None else self.function_scope(method, inside)
        yield from self.ground(value, where, steps)

    def _called(self, call: Call, scope: Scope, steps: int) -> Iterator[Ground]:
        if isinstance(call.function, Name) and call.function.name in ("require", "import"):
            yield from self._required(call, call.function.name, scope, steps)
            return
        if isinstance(call.function, Member) and isinstance(call.function.of, Call):
            yield call, scope  # a chain: whoever asks goes along it
            return
        known = False
        for thing, where in self.ground(call.function, scope, steps):
            if isinstance(thing, Class):
                known = True
                self.class_scope(thing, where)
                yield Instance(thing), where
            elif isinstance(thing, Function) and thing.body is not None:
                known = True
                inside = self.function_scope(thing, where)
                for given, place in self._returned(thing, inside, steps):
                    if isinstance(given, Given) and given.function is thing:
                        yield from self._handed_back(given, call, scope, steps)
                    else:
                        yield given, place
        if not known:
            yield call, scope

    def _returned(self, function: Function, inside: Scope, steps: int) -> Iterator[Ground]:
        for statement in function.body or ():
            if isinstance(statement, Return):
                yield from self.ground(statement.value, inside, steps)

    def _required(self, call: Call, how: str, scope: Scope, steps: int) -> Iterator[Ground]:
        """The module that `require` or `import(...)` brings; of the first also its one export."""
        for spelled in self.texts(call.arguments[0], scope, steps) if call.arguments else []:
            source = self._program.find(scope.module, spelled)
            if source is None:
                yield External(spelled), scope
                continue
            if how == "require":
                yield from self.exported(source, "default", steps)
            yield Space(source), scope

    def _handed_back(self, given: Given, call: Call, scope: Scope, steps: int) -> Iterator[Ground]:
        """What a function that returns its own parameter returns to this call."""
        if given.key or given.index >= len(call.arguments):
            yield given, scope
        else:
            handed = self.ground(call.arguments[given.index], scope, steps)
            yield from [one for one in handed if isinstance(one[0], Function)] or [(given, scope)]

    def arguments(self, given: Given) -> Iterator[tuple[Expression, Scope]]:
        """What the unit's calls give for a parameter."""
        for call, scope in self.sites.get(id(given.function), [])[:MAX_TEXTS]:
            at = given.index
            of_method = given.function.of_class and scope.module.is_python
            value = call.keyword(given.function.params[at].name)
            if value is None:
                at -= 1 if of_method else 0
                value = call.arguments[at] if 0 <= at < len(call.arguments) else None
            if value is not None and given.key:
                part = (id(value), given.key)
                value = self._parts.setdefault(part, Member(value, given.key))
            if value is not None:
                yield value, scope

    def texts(self, expression: Expression, scope: Scope, steps: int = 0) -> list[str]:
        """The texts that an expression may be; empty where that can't be said."""
        return self._reading.texts(expression, scope, steps)

    def items(self, expression: Expression, scope: Scope) -> list[tuple[Expression, Scope]]:
        """The items of what an expression stands for, of a dictionary its values."""
        return self._reading.items(expression, scope)


def _external(outer: str, name: str) -> External:
    return External(outer if name in ("default", "*") else f"{outer}.{name}")
