"""One tool and where it comes from."""

from dataclasses import dataclass

from devloop_tools.toolkit import ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """`namespace` groups tools (persistence, docs, pack:FILE); `source` names module or file."""

    definition: ToolDefinition
    namespace: str
    source: str

    @property
    def name(self) -> str:
        return self.definition.name
