"""All that the author of a tool imports."""

from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.errors import ToolSandboxError
from devloop_tools.toolkit.context import ToolContext
from devloop_tools.toolkit.definition import READ, WRITE, Annotations, ToolDefinition, tool
from devloop_tools.toolkit.errors import ToolValidationError
from devloop_tools.toolkit.input import FreeObject, ToolInput

__all__ = [
    "READ",
    "WRITE",
    "Annotations",
    "Done",
    "FreeObject",
    "Refused",
    "ToolContext",
    "ToolDefinition",
    "ToolInput",
    "ToolSandboxError",
    "ToolValidationError",
    "refused",
    "tool",
]
