"""Which functions and types a unit gives out, and under which names."""

import posixpath
import re
from collections.abc import Iterator

from devloop_tools.domain.source.evaluation import Evaluation
from devloop_tools.domain.source.model import OfferedFunction, OfferedType, Place
from devloop_tools.domain.source.program import Program
from devloop_tools.domain.source.syntax import (
    Call,
    Class,
    Expression,
    Function,
    Imported,
    Module,
    Name,
    Record,
)
from devloop_tools.domain.source.type_lookup import TypeLookup
from devloop_tools.domain.source.type_terms import UNREAD, Fields

_ENTRY = re.compile(r"(?:src/|lib/)?index\.[cm]?[jt]sx?")
_OVERLOADS = frozenset(["overload", "typing.overload"])
_MEMOIZERS = frozenset(
    ["memoize", "memo", "debounce", "throttle", "once", "cache", "freeze", "asyncHandler"]
)

GivenOut = tuple[Module, str, str]
"""A module, the name in it, and the name that others use."""


class Offered:
    """Reads what the modules of a program give out."""

    def __init__(self, program: Program, evaluation: Evaluation, types: TypeLookup) -> None:
        self._program = program
        self._evaluation = evaluation
        self._types = types

    def functions(self) -> list[OfferedFunction]:
        """Functions by name; one that has several names comes with each."""
        found: dict[str, OfferedFunction] = {}
        for module, name, public in self._given_out():
            for function in self._functions(module, name, public):
                found.setdefault(function.name, function)
        named = {one.place for one in found.values() if one.name != "default"}
        return [one for one in found.values() if one.name != "default" or one.place not in named]

    def types(self) -> list[OfferedType]:
        """Types by name, errors aside: those are thrown and hold no data."""
        found: dict[str, OfferedType] = {}
        for module, name, public in self._given_out():
            resolved = self._types.exported(module, name)
            if resolved is None or self._types.is_error(*resolved):
                continue
            source, definition = resolved
            if not definition.is_alias and definition.body in (UNREAD, Fields(())):
                continue  # a class that does something and shows no data
            shown = definition.name if public == "default" else public
            place = Place(source.path, definition.line)
            found.setdefault(shown, OfferedType(shown, place, definition))
        return list(found.values())

    def values(self) -> set[str]:
        """Every name that is given out, whatever it stands for, and members of such by a dot."""
        found: set[str] = set()
        for module, name, public in self._given_out():
            found.add(public)
            for thing, _ in self._evaluation.exported(module, name):
                members: Iterator[str] = iter(())
                if isinstance(thing, Record):
                    members = (key for key, _ in thing.entries)
                elif isinstance(thing, Class):
                    members = iter(thing.members)
                found.update(f"{public}.{member}" for member in members)
        return found

    def _given_out(self) -> Iterator[GivenOut]:
        entries = [module for module in self._program.modules.values() if self._is_entry(module)]
        for module in entries or self._program.modules.values():
            for name in self._names(module, set()):
                yield module, name, name

    def _is_entry(self, module: Module) -> bool:
        """Whether a module gives out for all others what they define."""
        if module.is_python:
            if posixpath.basename(module.path) != "__init__.py":
                return False
            above = posixpath.dirname(posixpath.dirname(module.path))
            outer = self._program.modules.get(posixpath.join(above, "__init__.py"))
            is_outermost = outer is None or outer is module or not self._is_entry(outer)
            return is_outermost and any(
                self._is_ours(module, one) for one in self._all_imported(module)
            )
        if not _ENTRY.fullmatch(module.path):
            return False
        return bool(module.star_exports) or any(
            isinstance(export.what, Imported)
            or (isinstance(export.what, str) and self._is_brought(module, export.what))
            for export in module.exports
        )

    def _all_imported(self, module: Module) -> Iterator[str]:
        yield from (imported.module for imported in module.imports.values())
        yield from module.star_imports

    def _is_ours(self, module: Module, spelled: str) -> bool:
        return self._program.find(module, spelled) is not None

    def _is_brought(self, module: Module, name: str) -> bool:
        imported = module.imports.get(name)
        if imported is not None:
            return self._is_ours(module, imported.module)
        bound = self._evaluation.module_scope(module).names.get(name, [])
        return any(
            isinstance(value, Call)
            and isinstance(value.function, Name)
            and value.function.name == "require"
            for value in bound
        )

    def _names(self, module: Module, seen: set[str]) -> Iterator[str]:
        if module.path in seen:
            return
        seen.add(module.path)
        if module.is_python:
            yield from self._python_names(module, seen)
            return
        yield from (export.name for export in module.exports)
        for spelled in module.star_exports:
            if (source := self._program.find(module, spelled)) is not None:
                yield from (name for name in self._names(source, seen) if name != "default")

    def _python_names(self, module: Module, seen: set[str]) -> Iterator[str]:
        if module.listed is not None:
            yield from module.listed
            return
        own = self._evaluation.module_scope(module).names
        yield from (name for name in own if not name.startswith("_"))
        yield from (name for name in module.types if not name.startswith("_") and name not in own)
        if posixpath.basename(module.path) != "__init__.py":
            return
        for name, imported in module.imports.items():
            if not name.startswith("_") and self._is_ours(module, imported.module):
                yield name
        for spelled in module.star_imports:
            if (source := self._program.find(module, spelled)) is not None:
                yield from self._names(source, seen)

    def _functions(self, module: Module, name: str, public: str) -> Iterator[OfferedFunction]:
        grounds = self._evaluation.exported(module, name)
        functions = [(thing, scope) for thing, scope in grounds if isinstance(thing, Function)]
        if functions:
            last, scope = functions[-1]
            signatures = tuple(one for one, _ in functions if _is_signature(one)) or (last,)
            shown = last.name or public if public == "default" else public
            yield OfferedFunction(shown, Place(scope.module.path, last.line), signatures)
            return
        for thing, scope in grounds:
            if isinstance(thing, Record) and public == "default":
                for key, value in thing.entries:
                    yield from self._entry(key, value, scope.module)
            elif isinstance(thing, Call):
                yield from self._wrapped(thing, public, scope.module)

    def _entry(self, key: str, value: Expression, module: Module) -> Iterator[OfferedFunction]:
        for thing, scope in self._evaluation.ground(value, self._evaluation.module_scope(module)):
            if isinstance(thing, Function):
                yield OfferedFunction(key, Place(scope.module.path, thing.line), (thing,))

    def _wrapped(self, call: Call, public: str, module: Module) -> Iterator[OfferedFunction]:
        """A function behind one that remembers or delays it: it is called the same way."""
        function = call.function
        name = getattr(function, "name", "")
        if name not in _MEMOIZERS or not call.arguments:
            return
        for thing, scope in self._evaluation.ground(
            call.arguments[0], self._evaluation.module_scope(module)
        ):
            if isinstance(thing, Function):
                yield OfferedFunction(public, Place(scope.module.path, call.line), (thing,))


def _is_signature(function: Function) -> bool:
    if function.body is None:
        return True
    return any(
        isinstance(decorator, Name) and decorator.name in _OVERLOADS
        for decorator in function.decorators
    )
