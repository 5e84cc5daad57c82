"""What this session sees: the tools that exist and that its agent is granted."""

from collections.abc import Sequence

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.policy import Policy
from devloop_tools.registry.registry import Registry


class Catalog:
    """A function of registry and policy, never of what was called before."""

    def __init__(self, registry: Registry, policy: Policy) -> None:
        self._visible = {
            name: entry for name, entry in registry.entries.items() if policy.allows(name)
        }

    def entries(self) -> Sequence[ToolEntry]:
        """All of them, sorted by name."""
        return list(self._visible.values())

    def get(self, name: str) -> ToolEntry | None:
        """The tool, or None: a forbidden one reads as one that doesn't exist."""
        return self._visible.get(name)
