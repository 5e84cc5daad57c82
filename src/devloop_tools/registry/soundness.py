"""Whether a definition can be shown to clients: one bad schema makes the CLI drop all tools."""

import re
from collections.abc import Iterator

import orjson

from devloop_tools.registry.names import HOOK_TOOL, NATIVE_TOOLS, UPSTREAM_PREFIX
from devloop_tools.toolkit import Annotations, ToolDefinition
from devloop_tools.toolkit.definition import MAX_DESCRIPTION, MAX_NAME
from devloop_tools.toolkit.json_schema import schema_fault

MAX_SCHEMA_BYTES = 64 * 1024
"""More is nothing that a model can be shown, and would be judged for minutes."""

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")


def faults_in(definition: ToolDefinition) -> Iterator[str]:
    """What is wrong with it, a sentence each; nothing for a sound one."""
    if not (isinstance(definition.name, str) and _NAME.fullmatch(definition.name)):
        yield f"the name {definition.name!r} must be 1 to {MAX_NAME} of A-Z a-z 0-9 _ -"
    elif definition.name in NATIVE_TOOLS:
        # A policy that grants the CLI's own Bash must not grant another one with it.
        yield f"the name {definition.name} belongs to a tool of the Claude CLI"
    elif definition.name == HOOK_TOOL:
        # Where the CLI's hook is answered, nobody else is reached by that name.
        yield f"the name {definition.name} belongs to the CLI's hook"
    elif definition.name.startswith(UPSTREAM_PREFIX):
        # A policy that grants a tool of another server must not grant this one with it.
        yield f"a name that starts with {UPSTREAM_PREFIX} belongs to a tool of another server"
    described = isinstance(definition.description, str) and definition.description
    if not described or len(described) > MAX_DESCRIPTION:
        yield f"the description must have 1 to {MAX_DESCRIPTION} characters"
    if not isinstance(definition.annotations, Annotations):
        yield "it does not say what a call may do; pass READ, WRITE or Annotations"
    try:
        schema = definition.input_schema()
        size = len(orjson.dumps(schema))
        definition.output_schema()
    except Exception as exc:  # a pack's model may raise anything while its schema is drawn
        first_line = f"{type(exc).__name__}: {exc}".splitlines()[0]
        yield f"its schema can't be made: {first_line}"
        return
    if size > MAX_SCHEMA_BYTES:
        yield f"its schema has {size} bytes; at most {MAX_SCHEMA_BYTES} are allowed"
    elif fault := schema_fault(schema):
        yield fault
