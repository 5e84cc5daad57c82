"""What this session sees: the tools that exist and that its agent is granted."""

from collections.abc import Iterable, Sequence

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.policy import Policy


class Catalog:
    """A function of entries and policy, never of what was called before. Sorted by name."""

    def __init__(self, entries: Iterable[ToolEntry], policy: Policy) -> None:
        granted = [entry for entry in entries if policy.allows(entry.name, entry.namespace)]
        self._visible = {
            entry.name: entry for entry in sorted(granted, key=lambda entry: entry.name)
        }

    def entries(self) -> Sequence[ToolEntry]:
        """All of them."""
        return list(self._visible.values())

    def get(self, name: str) -> ToolEntry | None:
        """The tool, or None: a forbidden one reads as one that doesn't exist."""
        return self._visible.get(name)

    def joined(self, more: Iterable[ToolEntry], policy: Policy) -> "Catalog":
        """With `more` tools, under the same policy."""
        return Catalog([*self._visible.values(), *more], policy)
