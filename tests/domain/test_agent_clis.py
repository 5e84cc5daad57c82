"""The CLIs that run agents, by pid and start."""

from pathlib import Path

from devloop_tools.domain.agent_clis import agent_among, record_cli
from devloop_tools.storage.database import Database


def test_a_cli_is_known_by_pid_and_start_together(tmp_path: Path) -> None:
    database = Database(tmp_path)
    record_cli(database, 7, "boot:1", "coder")
    record_cli(database, 7, "boot:1", "coder")
    record_cli(database, 7, "boot:9", "pm")
    assert agent_among(database, [(3, "boot:1"), (7, "boot:1")]) == "coder"
    assert agent_among(database, [(7, "boot:9")]) == "pm"
    assert agent_among(database, [(7, "boot:2"), (8, "boot:1")]) is None
    assert agent_among(database, []) is None


def test_one_that_was_seen_long_ago_is_forgotten(tmp_path: Path) -> None:
    database = Database(tmp_path)
    record_cli(database, 7, "boot:1", "coder")
    with database.transaction() as connection:
        connection.execute("UPDATE agent_clis SET seen = '2001-01-01T00:00:00.000Z'")
    record_cli(database, 8, "boot:1", "pm")
    assert agent_among(database, [(7, "boot:1")]) is None
    assert agent_among(database, [(8, "boot:1")]) == "pm"
