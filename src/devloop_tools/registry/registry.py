"""What exists: every tool by name, whoever may call it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.errors import LoadError


class DuplicateToolError(LoadError):
    """Two tools have the same name; the text names both sources."""


class Registry:
    """Frozen after it is built. Entries are sorted by name, so that lists keep still."""

    def __init__(self, entries: Iterable[ToolEntry]) -> None:
        by_name: dict[str, ToolEntry] = {}
        for entry in entries:
            if first := by_name.get(entry.name):
                raise DuplicateToolError(
                    f"{entry.name}: defined in {first.source} and again in {entry.source}; "
                    "rename one of them"
                )
            by_name[entry.name] = entry
        self.entries: Mapping[str, ToolEntry] = MappingProxyType(dict(sorted(by_name.items())))
