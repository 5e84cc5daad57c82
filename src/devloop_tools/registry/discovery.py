"""Finds the tools of a package and of the packs in a folder. Nothing registers itself."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.errors import LoadError
from devloop_tools.toolkit import ToolDefinition


class PackError(LoadError):
    """A pack that can't be loaded; the text names its file."""


def discover(package: str) -> Iterator[ToolEntry]:
    """Every tool below `package`; the folder that holds a tool's module is its namespace."""
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        if not info.ispkg:
            namespace = info.name.split(".")[-2]
            yield from _entries(importlib.import_module(info.name), namespace, info.name)


def discover_packs(folder: Path) -> Iterator[ToolEntry]:
    """Every tool in `folder/*.py`, by file name. Raises PackError naming the file."""
    for path in sorted(folder.glob("*.py")):
        yield from _entries(_load(path), f"pack:{path.stem}", str(path))


def _load(path: Path) -> ModuleType:
    name = f"devloop_tools_packs.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PackError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Types named in a tool's signature are looked up by module name.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as exc:
        raise PackError(f"{path}: {type(exc).__name__}: {exc}") from exc
    return module


def _entries(module: ModuleType, namespace: str, source: str) -> Iterator[ToolEntry]:
    for value in vars(module).values():
        # A pack may import another tool to build on it; that one isn't its own.
        if isinstance(value, ToolDefinition) and value.execute.__module__ == module.__name__:
            yield ToolEntry(value, namespace, source)
