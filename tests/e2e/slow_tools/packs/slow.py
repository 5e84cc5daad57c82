"""Tools that take as long as the test wants, and say on a pipe what happens to them."""

import json
import os
from pathlib import Path

import anyio

from devloop_tools.toolkit import READ, WRITE, Done, ToolContext, ToolInput, tool


class NothingInput(ToolInput):
    pass


@tool(WRITE)
async def replace_slowly(args: NothingInput, ctx: ToolContext) -> Done:
    """Replace the todo list, in the middle of which nothing happens for ever."""
    with ctx.workspace.locked(ctx.workspace.todo_list) as file:
        _say(ctx.workspace.root, f"started {os.getpid()}")
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            _say(ctx.workspace.root, "cancelled")
            raise
        file.replace(b"{}")
    return Done()


@tool(READ)
def server_process(args: NothingInput, ctx: ToolContext) -> str:
    """Tell the server's process id and the names of its environment."""
    return json.dumps({"pid": os.getpid(), "environ": sorted(os.environ)})


@tool(READ)
async def ask_a_person(args: NothingInput, ctx: ToolContext) -> str:
    """Ask whether to go on, and tell what came of it."""
    schema = {"type": "object", "properties": {"go": {"type": "boolean"}}, "required": ["go"]}
    answer = await ctx.client.elicit("go", "继续吗? Go on?", schema)
    return f"{answer.action} {json.dumps(answer.content)}"


@tool(WRITE)
def not_granted(args: NothingInput, ctx: ToolContext) -> Done:
    """Leave a file that shows that this ran."""
    (ctx.workspace.root / "it-ran").touch()
    return Done()


def _say(root: Path, words: str) -> None:
    pipe = os.open(root / "signals", os.O_WRONLY | os.O_NONBLOCK)
    try:
        os.write(pipe, f"{words}\n".encode())
    finally:
        os.close(pipe)
