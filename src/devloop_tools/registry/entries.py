"""One tool: known by name, read when it is shown, imported when it is run."""

from collections.abc import Callable
from functools import cached_property

from devloop_tools.frozen import frozen
from devloop_tools.registry.published import Published, drawn
from devloop_tools.toolkit import ToolDefinition


def _nothing_stored() -> None:
    return None


@frozen
class ToolEntry:
    """`namespace` groups tools (persistence, docs, pack:FILE); `source` names module or file.

    `load` imports the tool; `stored` reads what clients are shown without that, if it can.
    """

    name: str
    namespace: str
    source: str
    load: Callable[[], ToolDefinition]
    stored: Callable[[], Published | None] = _nothing_stored

    @staticmethod
    def of(definition: ToolDefinition, namespace: str, source: str) -> "ToolEntry":
        """The entry of a tool that is imported already."""
        entry = ToolEntry(definition.name, namespace, source, lambda: definition)
        vars(entry)["definition"] = definition
        return entry

    @property
    def is_loaded(self) -> bool:
        """Whether `definition` is there at once."""
        return "definition" in vars(self)

    @cached_property
    def definition(self) -> ToolDefinition:
        """The tool itself. Raises whatever its module raises when it is imported."""
        return self.load()

    @cached_property
    def published(self) -> Published:
        """What clients are shown. Raises as `definition` does, where it has to be drawn."""
        return self.stored() or drawn(self.definition)
