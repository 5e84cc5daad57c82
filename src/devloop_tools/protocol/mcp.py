"""Facts of the Model Context Protocol that more than one module needs."""

LATEST = "2025-11-25"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST)
"""Revisions that start with `initialize`, oldest first."""

BATCH_VERSIONS = frozenset({"2024-11-05", "2025-03-26"})
"""Revisions that know JSON-RPC batches; 2025-06-18 removed them."""

STRUCTURED_SINCE = "2025-06-18"
"""First revision with `title`, `outputSchema` and `structuredContent`."""

ANNOTATIONS_SINCE = "2025-03-26"
"""First revision with tool annotations."""


def negotiated(asked: str) -> str:
    """The version to answer `initialize` with (lifecycle, version negotiation)."""
    return asked if asked in VERSIONS else LATEST
