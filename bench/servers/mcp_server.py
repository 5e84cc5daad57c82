"""The peer: MCPServer of the `mcp` package."""

import time

import anyio
from mcp.server.mcpserver import MCPServer

server = MCPServer("peer", log_level="ERROR")


@server.tool(structured_output=False)
async def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool(structured_output=False)
async def sleep(ms: int) -> str:
    """Wait on the event loop."""
    await anyio.sleep(ms / 1000)
    return "ok"


@server.tool(structured_output=False)
def block(ms: int) -> str:
    """Wait in a thread, as a call of a blocking library does."""
    time.sleep(ms / 1000)
    return "ok"


server.run("stdio")
