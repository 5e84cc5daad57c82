"""Finds the tools of a package or a file. Nothing registers itself."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.published import Published, stored
from devloop_tools.toolkit import ToolDefinition
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition


def discover(package: str) -> Iterator[ToolEntry]:
    """Every tool below `package`, without importing it: a module holds the tool of its name, and
    the folder that holds the module is the namespace."""
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        if not info.ispkg:
            namespace, name = info.name.split(".")[-2:]
            load, stored = partial(_tool_of, info.name), partial(_stored_beside, info.name)
            yield ToolEntry(name, namespace, info.name, load, stored)


def _tool_of(module: str) -> ToolDefinition:
    name = module.rpartition(".")[2]
    found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, ToolDefinition) or found.name != name:
        raise ImportError(f"{module} defines no tool {name}; decorate a function with @tool")
    return found


def _stored_beside(module: str) -> Published | None:
    spec = importlib.util.find_spec(module)
    return stored(spec) if spec else None


PACKS = "devloop_tools_packs"
"""The package that packs are modules of."""


def load_file(path: Path) -> ModuleType:
    """A file as a module of PACKS. Raises whatever its code raises.

    What lies beside it can be imported from it: `from ._shared import ...`.
    """
    _look_beside(path.absolute())
    name = f"{PACKS}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Types named in a tool's signature are looked up by module name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _look_beside(path: Path) -> None:
    """Have PACKS look into the folder of `path` first; what it found elsewhere gives way."""
    package = sys.modules.setdefault(PACKS, ModuleType(PACKS))
    folder = str(path.parent)
    others = [other for other in getattr(package, "__path__", ()) if other != folder]
    package.__path__ = [folder, *others]
    for shared in shared_by_packs(path.parent):
        known = sys.modules.get(f"{PACKS}.{shared.stem}")
        if known is not None and known.__file__ != str(shared):
            del sys.modules[known.__name__]


def shared_by_packs(folder: Path) -> list[Path]:
    """The modules in a folder of packs that are no packs, but imported by them."""
    return sorted((*folder.glob("_*.py"), *folder.glob("_*/**/*.py")))


def entries_of(module: ModuleType, namespace: str, source: str) -> Iterator[ToolEntry]:
    """The tools that `module` itself defines, each once, whatever other names it has."""
    seen: set[int] = set()
    for value in vars(module).values():
        if not isinstance(value, ToolDefinition) or id(value) in seen:
            continue
        seen.add(id(value))
        # A pack may import another tool to build on it; that one isn't its own.
        if value.execute.__module__ == module.__name__:
            yield ToolEntry.of(value, namespace, source)


def offers_of(module: ModuleType) -> tuple[list[ResourceDefinition], list[PromptDefinition]]:
    """The resources and prompts that `module` itself defines."""
    own = vars(module).values()
    name = module.__name__
    resources = [
        value
        for value in own
        if isinstance(value, ResourceDefinition) and value.read.__module__ == name
    ]
    prompts = [
        value
        for value in own
        if isinstance(value, PromptDefinition) and value.render.__module__ == name
    ]
    return resources, prompts
