"""Facts of the Model Context Protocol that more than one module needs.

Imports nothing: the first answer of `serve` waits for this module.
"""

LATEST = "2025-11-25"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST)
"""Revisions that start with `initialize`, oldest first."""

MODERN = "2026-07-28"
"""The stateless revision: every request says in `_meta` which protocol it speaks."""

SUPPORTED = (MODERN, *reversed(VERSIONS))
"""Everything that `serve --protocol all` speaks, newest first."""

BATCH_VERSIONS = frozenset({"2024-11-05", "2025-03-26"})
"""Revisions that know JSON-RPC batches; 2025-06-18 removed them."""

STRUCTURED_SINCE = "2025-06-18"
"""First revision with `title`, `outputSchema` and `structuredContent`."""

ANNOTATIONS_SINCE = "2025-03-26"
"""First revision with tool annotations."""

META_PREFIX = "io.modelcontextprotocol/"
META_VERSION = META_PREFIX + "protocolVersion"
META_CAPABILITIES = META_PREFIX + "clientCapabilities"
META_CLIENT = META_PREFIX + "clientInfo"
META_LOG_LEVEL = META_PREFIX + "logLevel"
META_SERVER = META_PREFIX + "serverInfo"
META_SUBSCRIPTION = META_PREFIX + "subscriptionId"

LOG_LEVELS = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
)  # fmt: skip
"""Severities of RFC 5424, mildest first."""


def negotiated(asked: str) -> str:
    """The version to answer `initialize` with (lifecycle, version negotiation)."""
    return asked if asked in VERSIONS else LATEST
