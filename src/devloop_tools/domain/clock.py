"""Time as every file, event and result of ours writes it."""

from datetime import UTC, datetime


def timestamp() -> str:
    """Now in UTC, ISO 8601 with milliseconds and Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
