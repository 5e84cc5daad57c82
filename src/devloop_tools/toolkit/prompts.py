"""Prompts: texts that a person picks in the client to start from."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from devloop_tools.frozen import frozen
from devloop_tools.toolkit.content import Content
from devloop_tools.toolkit.context import ToolContext


@frozen
class PromptArgument:
    """A text that a person gives; `choices` are offered while they type."""

    name: str
    description: str
    required: bool = True
    choices: tuple[str, ...] = ()


@frozen
class PromptMessage:
    """One message of the conversation that the prompt starts."""

    role: Literal["user", "assistant"]
    content: Content


Render = Callable[[dict[str, str], ToolContext], Awaitable[Sequence[PromptMessage]]]


@frozen
class PromptDefinition:
    """What `@prompt` makes of a function."""

    name: str
    description: str
    arguments: tuple[PromptArgument, ...]
    render: Render


def prompt(*arguments: PromptArgument) -> Callable[[Render], PromptDefinition]:
    """Make a prompt of an async function `(args, ctx) -> messages`; `args` are texts by name."""

    def define(function: Render) -> PromptDefinition:
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"{function.__qualname__}: the docstring says what the prompt is for")
        return PromptDefinition(function.__name__, description, arguments, function)

    return define
