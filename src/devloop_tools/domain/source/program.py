"""All modules of a unit, and which module an import means."""

import posixpath
from collections.abc import Iterator, Sequence

from devloop_tools.domain.source.syntax import Module
from devloop_tools.domain.source.tree import SUFFIXES

_SCRIPTS = tuple(suffix for suffix in SUFFIXES if suffix != ".py")
_FROM_ROOT = ("@/", "~/", "#/", "src/", "#src/")
"""How projects spell a path from their source folder."""


class Program:
    """The modules by their paths in the unit's folder."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = {module.path: module for module in modules}

    def find(self, importer: Module, spelled: str) -> Module | None:
        """The module that `importer` means by `spelled`; None for a package from outside."""
        if importer.is_python:
            return self._python(importer, spelled)
        if spelled.startswith("."):
            folder = posixpath.dirname(importer.path)
            return self._script(posixpath.normpath(posixpath.join(folder, spelled)))
        for mark in _FROM_ROOT:
            if spelled.startswith(mark):
                rest = spelled.removeprefix(mark)
                return self._script(f"src/{rest}") or self._script(rest)
        return None

    def submodule(self, folder: str, name: str) -> Module | None:
        """The Python module `name` in a package's folder."""
        stem = posixpath.join(folder, name)
        return self.modules.get(f"{stem}.py") or self.modules.get(f"{stem}/__init__.py")

    def python_folder(self, importer: Module, spelled: str) -> str | None:
        """The folder of a package, which needn't have an `__init__`; None if there is none."""
        for stem in self._python_stems(importer, spelled):
            if any(path.startswith(f"{stem}/") for path in self.modules) or not stem:
                return stem
        return None

    def _script(self, stem: str) -> Module | None:
        for path in _spellings(stem):
            if (found := self.modules.get(path)) is not None:
                return found
        return None

    def _python(self, importer: Module, spelled: str) -> Module | None:
        for stem in self._python_stems(importer, spelled):
            for path in (f"{stem}.py", posixpath.join(stem, "__init__.py")):
                if (found := self.modules.get(path)) is not None:
                    return found
        return None

    def _python_stems(self, importer: Module, spelled: str) -> Iterator[str]:
        name = spelled.lstrip(".")
        dots = len(spelled) - len(name)
        rest = name.replace(".", "/")
        folder = posixpath.dirname(importer.path)
        if dots:
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            yield posixpath.join(folder, rest) if rest else folder
            return
        for root in dict.fromkeys(("", "src", folder, *self._roots())):
            yield posixpath.join(root, rest)

    def _roots(self) -> Iterator[str]:
        """Folders that hold packages: those above the topmost `__init__.py` files."""
        for path in self.modules:
            if posixpath.basename(path) == "__init__.py":
                yield posixpath.dirname(posixpath.dirname(path))


def _spellings(stem: str) -> Iterator[str]:
    """The files that a script's import may mean: `./a.js` is also how `a.ts` is imported."""
    yield stem
    for suffix in _SCRIPTS:
        yield stem + suffix
    bare, dot, ending = stem.rpartition(".")
    if dot and ending in ("js", "mjs", "cjs", "jsx"):
        for suffix in _SCRIPTS:
            yield bare + suffix
    for suffix in _SCRIPTS:
        yield posixpath.join(stem, f"index{suffix}")
