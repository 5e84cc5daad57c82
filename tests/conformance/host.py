"""A host that adds a tool of its own: how the list of tools changes here while a client listens.

The suite asks for a tool that changes the list. No tool of this server can: what is listed comes
from policy and files. A host can, with `tools.register`, so the bridge plays one.
"""

from tests.conformance.child import Child, Json

TRIGGER = "test_trigger_tool_change"

_TOOL = {
    "name": "registered_by_the_host",
    "description": "A tool that the host runs itself.",
    "input_schema": {"type": "object"},
}


async def change_tools(child: Child, message: Json) -> Json:
    """Register a tool in the name of a host; the answer to the call that asked for it."""
    await _asked(child, message, "tools.unregister", {"names": [_TOOL["name"]]})
    reply = await _asked(child, message, "tools.register", {"tools": [_TOOL]})
    if reply is None or "error" in reply:
        raise RuntimeError(f"tools.register: {reply}")
    text = {"type": "text", "text": "The list has changed."}
    result = {"resultType": "complete", "content": [text], "isError": False}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


async def _asked(child: Child, message: Json, method: str, params: Json) -> Json | None:
    """The child's reply; to unregister a tool that isn't there is refused, and that is fine."""
    request = {"jsonrpc": "2.0", "id": message["id"], "method": method, "params": params}
    return await child.request(request).stream.get()
