"""Finds the tools of a package or a file. Nothing registers itself."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.toolkit import ToolDefinition
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition


def discover(package: str) -> Iterator[ToolEntry]:
    """Every tool below `package`; the folder that holds a tool's module is its namespace."""
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        if not info.ispkg:
            namespace = info.name.split(".")[-2]
            yield from entries_of(importlib.import_module(info.name), namespace, info.name)


def load_file(path: Path) -> ModuleType:
    """A file as a module. Raises whatever its code raises."""
    name = f"devloop_tools_packs.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Types named in a tool's signature are looked up by module name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def entries_of(module: ModuleType, namespace: str, source: str) -> Iterator[ToolEntry]:
    """The tools that `module` itself defines, each once, whatever other names it has."""
    seen: set[int] = set()
    for value in vars(module).values():
        if not isinstance(value, ToolDefinition) or id(value) in seen:
            continue
        seen.add(id(value))
        # A pack may import another tool to build on it; that one isn't its own.
        if value.execute.__module__ == module.__name__:
            yield ToolEntry(value, namespace, source)


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
