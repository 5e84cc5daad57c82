"""The methods that need no tool: what a client may ask before anything else is loaded.

Imports names and numbers alone: the first answer of `serve` waits for this module.
"""

from devloop_tools.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from devloop_tools.protocol.mcp import META_VERSION, VERSIONS, negotiated
from devloop_tools.server.era import (
    ALL,
    LEGACY_ONLY,
    LIST_TTL_MS,
    MODERN_ONLY,
    SERVER_INFO,
    Envelope,
    Json,
    claims_modern,
    enveloped,
    supported_versions,
    unsupported_version,
)

INSTRUCTIONS = (
    "Dev-loop tools of this project: they keep your todo list, runtime state, timeline and memory "
    "as files that people and other agents read. Plan with write_todolist, move on with "
    "update_todo_item. A result with ok: false did not do what you asked: its reason says why and "
    "its hint what to do instead."
)

CAPABILITIES: Json = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "prompts": {},
    "completions": {},
    "logging": {},
}


def answer(
    method: str, params: Json, offered: str = ALL, *, initialized: bool = False
) -> Json | None:
    """The `result` or `error` member of the reply; None for a method that isn't answered here.

    `offered` is the value of `--protocol`; `initialized` says whether `initialize` was answered.
    """
    try:
        match method:
            case "initialize":
                return {"result": _initialize(params, offered)}
            case "ping":
                return {"result": _ping(params, offered)}
            case "server/discover":
                return {"result": _discover(params, offered, initialized)}
            case _:
                return None
    except RpcError as exc:
        return exc.body()


def _initialize(params: Json, offered: str) -> Json:
    asked = params.get("protocolVersion")
    if claims_modern(params, offered):
        # The stateless revision has no handshake.
        raise RpcError(METHOD_NOT_FOUND, "Method not found: initialize")
    if offered == MODERN_ONLY:
        raise unsupported_version(asked, offered)
    if not isinstance(asked, str):
        known = ", ".join(VERSIONS)
        raise RpcError(INVALID_PARAMS, f"protocolVersion must be a string, one of {known}")
    return {
        "protocolVersion": negotiated(asked),
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


def _ping(params: Json, offered: str) -> Json:
    if claims_modern(params, offered) or offered == MODERN_ONLY:
        raise RpcError(METHOD_NOT_FOUND, "Method not found: ping")
    return {}


def _discover(params: Json, offered: str, initialized: bool) -> Json:
    if offered == LEGACY_ONLY or (initialized and not claims_modern(params, offered)):
        # Said at once: a client that asks for a newer revision first falls back on `initialize`.
        raise RpcError(METHOD_NOT_FOUND, "Method not found: server/discover")
    if not claims_modern(params, offered):
        raise RpcError(INVALID_PARAMS, f"_meta: {META_VERSION} is required")
    Envelope(params, offered)
    found: Json = {
        "supportedVersions": supported_versions(offered),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }
    return enveloped(found, ttl_ms=LIST_TTL_MS)
