"""The methods that need no tool: what a client may ask before anything else is loaded.

Imports nothing beyond names and numbers: the first answer of `serve` waits for this module.
"""

from devloop_tools.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND
from devloop_tools.protocol.mcp import VERSIONS, negotiated
from devloop_tools.version import VERSION

NAME = "devloop-tools"

INSTRUCTIONS = (
    "Dev-loop tools of this project: they keep your todo list, runtime state, timeline and memory "
    "as files that people and other agents read. Plan with write_todolist, move on with "
    "update_todo_item. A result with ok: false did not do what you asked: its reason says why and "
    "its hint what to do instead."
)


def answer(method: str, params: dict[str, object]) -> dict[str, object] | None:
    """The `result` or `error` member of the reply; None for a method that isn't answered here."""
    match method:
        case "initialize":
            return _initialize(params)
        case "ping":
            return {"result": {}}
        case "server/discover":
            # Said at once: a client that asks for a newer revision first falls back on it.
            return _error(METHOD_NOT_FOUND, "Method not found: server/discover")
        case _:
            return None


def _initialize(params: dict[str, object]) -> dict[str, object]:
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        known = ", ".join(VERSIONS)
        return _error(INVALID_PARAMS, f"protocolVersion must be a string, one of {known}")
    result = {
        "protocolVersion": negotiated(asked),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": NAME, "title": "Dev-loop tools", "version": VERSION},
        "instructions": INSTRUCTIONS,
    }
    return {"result": result}


def _error(code: int, message: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message}}
