"""A tool as a value: its name, what the model reads, and the function that does it."""

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, get_type_hints

from devloop_tools.frozen import frozen
from devloop_tools.toolkit.arguments import Arguments, ModelArguments
from devloop_tools.toolkit.context import ToolContext
from devloop_tools.toolkit.input import ToolInput
from devloop_tools.toolkit.schema import declares_schema, output_schema, published_types

MAX_NAME = 50
"""With the `mcp__devloop__` that the CLI puts before it, a name fits the API's 64."""

MAX_DESCRIPTION = 4096
"""The CLI cuts longer descriptions."""


@frozen
class Annotations:
    """What a call may do (MCP, tool annotations). Policy and approvals trust them."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False


READ = Annotations(read_only=True, idempotent=True)
"""Changes nothing on disk or in processes."""

WRITE = Annotations(read_only=False)
"""Changes files, and loses nothing that was there."""


@frozen
class ToolDefinition:
    """What `@tool` makes of a function.

    A plain `def` runs in a worker thread and may block; an `async def` runs on the event loop.
    """

    name: str
    description: str
    arguments: Arguments
    result: Any
    annotations: Annotations
    execute: Callable[[Any, ToolContext], Any]
    is_async: bool

    def input_schema(self) -> dict[str, Any]:
        """JSON Schema 2020-12 of the arguments: an object, with no reference to resolve."""
        return self.arguments.schema()

    @cached_property
    def output_schema_declared(self) -> bool:
        """Whether results are published with a schema."""
        return declares_schema(self.result)

    @cached_property
    def published_types(self) -> tuple[type, ...]:
        """What may be returned where results are published with a schema."""
        return published_types(self.result)

    def output_schema(self) -> dict[str, Any] | None:
        """JSON Schema of the result, only `ok` required; None where the result is prose."""
        return output_schema(self.result)


def tool(annotations: Annotations) -> Callable[[Callable[..., Any]], ToolDefinition]:
    """Make a tool of a function `(args: SomeInput, ctx: ToolContext) -> Result | Refused`.

    Its name is the tool's name, its docstring is what the model reads. Raises TypeError naming
    what is missing.
    """
    if inspect.isroutine(annotations):
        raise TypeError(f"{annotations.__qualname__}: write @tool(READ) or @tool(WRITE)")

    def define(function: Callable[..., Any]) -> ToolDefinition:
        where = f"{function.__module__}.{function.__qualname__}"
        hints = _hints_of(function, where)
        names = list(inspect.signature(function).parameters)
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{where}: a tool returns its result once; it doesn't yield")
        if names != ["args", "ctx"]:
            raise TypeError(f"{where}: a tool takes (args, ctx), not ({', '.join(names)})")
        input_model = hints.get("args")
        if not (isinstance(input_model, type) and issubclass(input_model, ToolInput)):
            raise TypeError(f"{where}: args must be annotated with a ToolInput")
        if "return" not in hints:
            raise TypeError(f"{where}: the return annotation is the output schema; write one")
        description = inspect.getdoc(function)
        if not description or len(description) > MAX_DESCRIPTION:
            raise TypeError(
                f"{where}: the docstring is what the model reads; write 1 to {MAX_DESCRIPTION}"
                " characters"
            )
        if len(function.__name__) > MAX_NAME:
            raise TypeError(f"{where}: a name has at most {MAX_NAME} characters")
        return ToolDefinition(
            name=function.__name__,
            description=description,
            arguments=ModelArguments(input_model),
            result=hints["return"],
            annotations=annotations,
            execute=function,
            is_async=inspect.iscoroutinefunction(function),
        )

    return define


def _hints_of(function: Callable[..., Any], where: str) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except NameError as exc:
        raise TypeError(
            f"{where}: {exc}; a signature's types are defined or imported in the module itself,"
            " not inside a function or under TYPE_CHECKING"
        ) from None
