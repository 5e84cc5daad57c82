"""The CLIs that run agents of this project: what a person may do, nothing below one of them may."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from devloop_tools.domain.clock import timestamp
from devloop_tools.storage.database import Database

KEPT = timedelta(days=60)
"""A CLI that was seen earlier has ended."""


def record_cli(database: Database, pid: int, started: str, agent: str) -> None:
    """Remember that this process is an agent's CLI. Raises StorageError."""
    oldest = (datetime.now(UTC) - KEPT).isoformat()
    with database.transaction() as connection:
        connection.execute("DELETE FROM agent_clis WHERE seen < ?", (oldest,))
        connection.execute(
            "INSERT INTO agent_clis (pid, started, agent, seen) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (pid, started) DO UPDATE SET seen = excluded.seen",
            (pid, started, agent, timestamp()),
        )


def agent_among(database: Database, processes: Iterable[tuple[int, str]]) -> str | None:
    """The agent whose CLI is one of these processes, or None. Raises StorageError."""
    for process in processes:
        sql = "SELECT agent FROM agent_clis WHERE pid = ? AND started = ?"
        for (agent,) in database.rows(sql, process):
            return str(agent)
    return None
