"""Which era of MCP one message belongs to: decided per message, never per connection.

Imports names and numbers alone: the first answer of `serve` waits for this module.
"""

from devloop_tools.protocol.errors import INVALID_PARAMS, UNSUPPORTED_VERSION, RpcError
from devloop_tools.protocol.mcp import (
    META_CAPABILITIES,
    META_CLIENT,
    META_LOG_LEVEL,
    META_SERVER,
    META_VERSION,
    MODERN,
    SUPPORTED,
    VERSIONS,
)
from devloop_tools.version import VERSION

NAME = "devloop-tools"
SERVER_INFO = {"name": NAME, "title": "Dev-loop tools", "version": VERSION}

ALL, LEGACY_ONLY, MODERN_ONLY = "all", "legacy", "modern"
PROTOCOLS = (ALL, LEGACY_ONLY, MODERN_ONLY)
"""Values of `serve --protocol`."""

LIST_TTL_MS = 60_000
"""How long a client may keep a list: a change is announced besides."""

Json = dict[str, object]


def meta_of(params: Json) -> Json:
    """The request's `_meta`, empty where there is none."""
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def claims_modern(params: Json, offered: str) -> bool:
    """Whether the request says that it is stateless, be it by half, and such are taken here."""
    if offered == LEGACY_ONLY:
        return False
    meta = meta_of(params)
    return META_VERSION in meta or META_CAPABILITIES in meta


class Envelope:
    """What a modern request says of its client; raises RpcError for one that doesn't say enough."""

    __slots__ = ("capabilities", "client", "log_level")

    def __init__(self, params: Json, offered: str) -> None:
        meta = meta_of(params)
        version, capabilities = meta.get(META_VERSION), meta.get(META_CAPABILITIES)
        if not isinstance(version, str):
            raise RpcError(INVALID_PARAMS, f"_meta: {META_VERSION} must be a string")
        if version != MODERN:
            raise unsupported_version(version, offered)
        if not isinstance(capabilities, dict):
            raise RpcError(INVALID_PARAMS, f"_meta: {META_CAPABILITIES} must be an object")
        client, level = meta.get(META_CLIENT), meta.get(META_LOG_LEVEL)
        self.capabilities: Json = capabilities
        self.client: Json = client if isinstance(client, dict) else {}
        self.log_level = level if isinstance(level, str) else None


def supported_versions(offered: str) -> list[str]:
    """What this server speaks, newest first."""
    return {ALL: list(SUPPORTED), MODERN_ONLY: [MODERN]}.get(offered, list(reversed(VERSIONS)))


def unsupported_version(asked: object, offered: str) -> RpcError:
    """The error that lets a client choose another version."""
    supported = supported_versions(offered)
    data = {"supported": supported, "requested": asked}
    return RpcError(
        UNSUPPORTED_VERSION,
        f"Unsupported protocol version; supported: {', '.join(supported)}",
        data,
    )


def enveloped(result: Json, *, ttl_ms: int | None) -> Json:
    """A result as 2026-07-28 wants it; `ttl_ms` for those that a client may keep if complete."""
    meta = result.get("_meta")
    known = meta if isinstance(meta, dict) else {}
    whole = {"resultType": "complete", **result, "_meta": {**known, META_SERVER: SERVER_INFO}}
    if ttl_ms is not None and whole["resultType"] == "complete":
        # What is listed depends on the agent, so no other may be shown it.
        whole |= {"ttlMs": ttl_ms, "cacheScope": "private"}
    return whole
