"""The tools that every server of the benchmark has."""

import time

import anyio
from pydantic import Field

from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class EchoInput(ToolInput):
    text: str = Field(max_length=10_000_000, description="Any text.")


class MillisecondsInput(ToolInput):
    ms: int = Field(ge=0, le=60_000, description="How long.")


@tool(READ)
async def echo(args: EchoInput, ctx: ToolContext) -> str:
    """Return the text."""
    return args.text


@tool(READ)
async def sleep(args: MillisecondsInput, ctx: ToolContext) -> str:
    """Wait on the event loop."""
    await anyio.sleep(args.ms / 1000)
    return "ok"


@tool(READ)
def block(args: MillisecondsInput, ctx: ToolContext) -> str:
    """Wait in a thread, as a call of a blocking library does."""
    time.sleep(args.ms / 1000)
    return "ok"
