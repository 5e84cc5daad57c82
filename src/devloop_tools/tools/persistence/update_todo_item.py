"""update_todo_item: move one step of the todo list on."""

from pydantic import Field

from devloop_tools.domain.todos import Status, StepId, TodoItemUpdated
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class UpdateTodoItemInput(ToolInput):
    id: StepId
    status: Status = Field(description="Where the step stands now.")
    note: str | None = Field(
        default=None, max_length=4000, description="Why, or what is left; replaces the note before."
    )
    evidence: str | None = Field(
        default=None,
        max_length=4000,
        description="What shows it: a path, a command and its result.",
        examples=["pytest tests/test_login.py: 12 passed"],
    )


@tool(WRITE)
def update_todo_item(args: UpdateTodoItemInput, ctx: ToolContext) -> TodoItemUpdated | Refused:
    """Set the status of one step of your todo list, with a note and evidence if you have them.

    A step can't be done while a step that it depends on is open. Returns the step, the id of the
    step to do next (current, null when nothing can be done) and the progress in percent.
    """
    return ctx.todos.update(args.id, args.status, note=args.note, evidence=args.evidence)
