"""write_todolist: plan the work as a list of steps."""

from pydantic import Field

from devloop_tools.domain.todos import MAX_ITEMS, PlannedItem, TodoListWritten
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class WriteTodolistInput(ToolInput):
    items: list[PlannedItem] = Field(
        max_length=MAX_ITEMS, description="All steps, in the order in which they should be done."
    )


@tool(WRITE)
def write_todolist(args: WriteTodolistInput, ctx: ToolContext) -> TodoListWritten | Refused:
    """Replace your todo list by a new one, with every step open.

    Use it when you start a piece of work or plan it anew; to move one step on, use
    update_todo_item. Ids are step-001, step-002 and so on; depends_on names steps of the same
    list and must not go in a circle. The list before is kept in agent-state/history/.
    Returns the number of steps and the file.
    """
    return ctx.todos.write(args.items)
