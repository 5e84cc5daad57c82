"""The peer: FastMCP."""

import time

import anyio
from fastmcp import FastMCP

server = FastMCP("peer")


@server.tool(output_schema=None)
async def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool(output_schema=None)
async def sleep(ms: int) -> str:
    """Wait on the event loop."""
    await anyio.sleep(ms / 1000)
    return "ok"


@server.tool(output_schema=None)
def block(ms: int) -> str:
    """Wait in a thread, as a call of a blocking library does."""
    time.sleep(ms / 1000)
    return "ok"


server.run("stdio", show_banner=False)
