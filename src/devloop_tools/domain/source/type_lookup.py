"""Where a type that a module names is defined."""

from collections.abc import Iterator

from devloop_tools.domain.source.program import Program
from devloop_tools.domain.source.syntax import Imported, Module
from devloop_tools.domain.source.type_terms import AllOf, Named, TypeDefinition

Defined = tuple[Module, TypeDefinition]

MAX_STEPS = 20
"""Modules that pass a name on: longer ways are not followed."""

MAX_BASES = 100
"""Classes that one is built on."""


class TypeLookup:
    """Follows imports and re-exports of types."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def named(self, module: Module, name: str, steps: int = 0) -> Defined | None:
        """The type that `name` means inside `module`; None for one from outside."""
        if steps > MAX_STEPS:
            return None
        if (own := module.types.get(name)) is not None:
            return module, own
        first, _, rest = name.partition(".")
        imported = module.imports.get(first)
        if imported is not None:
            return self._imported(module, imported, rest, steps)
        for spelled in module.star_imports:
            source = self._program.find(module, spelled)
            if source is not None and (found := self.named(source, name, steps + 1)):
                return found
        return None

    def exported(self, module: Module, name: str, steps: int = 0) -> Defined | None:
        """The type that a module gives out as `name`."""
        if steps > MAX_STEPS:
            return None
        if module.is_python:
            return self.named(module, name, steps + 1)
        export = module.export(name)
        if export is not None and isinstance(export.what, str):
            return self.named(module, export.what, steps + 1)
        if export is not None and isinstance(export.what, Imported):
            return self._imported(module, export.what, "", steps)
        for spelled in module.star_exports:
            source = self._program.find(module, spelled)
            if source is not None and (found := self.exported(source, name, steps + 1)):
                return found
        return None

    def is_error(self, module: Module, definition: TypeDefinition) -> bool:
        """Whether a class is one that is raised."""
        return any(
            base.name.endswith(("Error", "Exception"))
            for where, one in self._with_bases(module, definition)
            for base in _bases(one)
            if (found := self.named(where, base.name)) is None or found[1] is one
        )

    def is_in_camel_case(self, module: Module, definition: TypeDefinition) -> bool:
        """Whether a pydantic model, or one that it's built on, renames its fields so."""
        return any(one.in_camel_case for _, one in self._with_bases(module, definition))

    def _with_bases(self, module: Module, definition: TypeDefinition) -> Iterator[Defined]:
        """A class, and what it is built on, each once."""
        waiting, seen = [(module, definition)], set[int]()
        while waiting and len(seen) < MAX_BASES:
            where, one = waiting.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield where, one
            found = [self.named(where, base.name) for base in _bases(one)]
            waiting.extend(base for base in found if base is not None)

    def _imported(
        self, module: Module, imported: Imported, rest: str, steps: int
    ) -> Defined | None:
        source = self._program.find(module, imported.module)
        if imported.name == "*":
            return self.exported(source, rest, steps + 1) if source is not None and rest else None
        if source is not None and (found := self.exported(source, imported.name, steps + 1)):
            return found
        if module.is_python and rest:
            folder = self._program.python_folder(module, imported.module)
            inner = None if folder is None else self._program.submodule(folder, imported.name)
            return None if inner is None else self.named(inner, rest, steps + 1)
        return None


def _bases(definition: TypeDefinition) -> list[Named]:
    parts = definition.body.parts if isinstance(definition.body, AllOf) else ()
    return [part for part in parts if isinstance(part, Named)]
