"""What clients are shown of a tool, and the file beside a shipped tool that holds it.

To draw it takes the tool's module, its models and pydantic's work on them; most servers list
tools that they never run. So each shipped tool has a JSON file beside its module, which
`make snapshots` draws and the tests compare; it counts as long as the module is the one it was
drawn from.
"""

import hashlib
from importlib.machinery import ModuleSpec
from typing import Any

import orjson

from devloop_tools.frozen import fields_of, frozen
from devloop_tools.toolkit import Annotations, ToolDefinition
from devloop_tools.toolkit.schema import Schema


@frozen
class Published:
    """A tool as clients are shown it; `output_schema` is None where results are prose."""

    description: str
    input_schema: Schema
    output_schema: Schema | None
    annotations: Annotations


def drawn(definition: ToolDefinition) -> Published:
    """What the tool itself says. Raises what drawing its schemas raises."""
    return Published(
        definition.description,
        definition.input_schema(),
        definition.output_schema(),
        definition.annotations,
    )


def stored(module: ModuleSpec) -> Published | None:
    """What the file beside the module says; None where there is none that fits the module."""
    try:
        fields: Any = orjson.loads(_content(module, ".json"))
        if fields.pop("module") != _digest(module):
            return None
        return Published(**{**fields, "annotations": Annotations(**fields["annotations"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        # Whatever is there, the tool itself knows better.
        return None


def to_file(published: Published, module: ModuleSpec) -> bytes:
    """What `stored` reads."""
    fields = fields_of(published) | {"annotations": fields_of(published.annotations)}
    return orjson.dumps(
        {"module": _digest(module), **fields},
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
    )


def _digest(module: ModuleSpec) -> str:
    return hashlib.sha256(_content(module, ".py")).hexdigest()


def _content(module: ModuleSpec, ending: str) -> bytes:
    """The file of the module, or one beside it, also out of an archive. Raises OSError."""
    loader: Any = module.loader
    content: bytes = loader.get_data((module.origin or "").removesuffix(".py") + ending)
    return content
