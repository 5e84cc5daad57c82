"""parse_placeholder: fill {{...}} in a text, a file or a value."""

from pydantic import Field

from devloop_tools.domain.running.filled import Filled, filled
from devloop_tools.toolkit import READ, FreeObject, Refused, ToolContext, ToolInput, tool


class ParsePlaceholderInput(ToolInput):
    text: str | None = Field(
        default=None,
        max_length=1_000_000,
        description="A text; or give path or value.",
        examples=["curl {{unit.todo-be.url}}/todos"],
    )
    path: str | None = Field(
        default=None, min_length=1, max_length=1000, description="A text file of the project."
    )
    value: FreeObject | None = Field(
        default=None, description="A JSON object; a text that is one placeholder keeps the type."
    )
    vars: FreeObject = Field(
        default_factory=dict, description="Values for {{NAME}}; they may hold placeholders too."
    )


@tool(READ)
def parse_placeholder(args: ParsePlaceholderInput, ctx: ToolContext) -> Filled | Refused:
    """Fill the placeholders in a text, a file or a JSON value.

    {{port.todo-be}} is the port a unit runs on or port_picker leased; {{unit.todo-be.url}} its URL;
    {{env.NAME}} a variable, if it is granted; {{case.login.token}} what a case saved; {{NAME}} or
    {{NAME.field}} one of vars. filled is the result; what has no value stays as it is and is listed
    in unresolved with its place (line:column) and reason, also vars that hold each other in a
    circle; complete says that there is none.
    """
    return filled(ctx.workspace, ctx.database, args.text, args.path, args.value, args.vars)
