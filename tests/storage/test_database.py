"""`.devloop/state.db`: opened by several processes at once, and clear about what is wrong."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from tests.storage.conftest import Start

from devloop_tools.storage import database as module
from devloop_tools.storage.database import Database, database_file
from devloop_tools.storage.errors import StorageError

INSERT = "INSERT INTO events (ts, type, project_id, agent, data) VALUES ('t', ?, 'p', 'pm', '{}')"


def run(database: Database, *statements: str) -> None:
    """One transaction."""
    with database.transaction() as connection:
        for statement in statements:
            connection.execute(statement, ("row",) if statement == INSERT else ())


def types_in(database: Database) -> list[object]:
    return [row[0] for row in database.rows("SELECT type FROM events ORDER BY id LIMIT 100")]


def test_what_was_committed_is_read_by_the_next_process(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.transaction() as connection:
        connection.execute(INSERT, ("登录",))
    database.close()
    again = Database(tmp_path)
    assert types_in(again) == ["登录"]
    again.close()


def test_commits_survive_a_power_loss(tmp_path: Path) -> None:
    database = Database(tmp_path)
    assert database.rows("PRAGMA journal_mode") == [("wal",)]
    assert database.rows("PRAGMA synchronous") == [(2,)]
    assert database.rows("PRAGMA busy_timeout") == [(30_000,)]


def test_a_block_that_raises_is_undone(tmp_path: Path) -> None:
    database = Database(tmp_path)

    def change_of_mind() -> None:
        with database.transaction() as connection:
            connection.execute(INSERT, ("gone",))
            raise ValueError("change of mind")

    with pytest.raises(ValueError, match="change of mind"):
        change_of_mind()
    run(database, INSERT)
    assert types_in(database) == ["row"]


def test_a_statement_that_fails_is_named_and_undone(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with pytest.raises(StorageError, match=r"^\.devloop/state\.db: no such table: nowhere$"):
        run(database, INSERT, "INSERT INTO nowhere VALUES (1)")
    with pytest.raises(StorageError, match="no such table"):
        database.rows("SELECT * FROM nowhere")
    assert types_in(database) == []


def test_a_full_database_says_so_and_takes_more_once_there_is_room(tmp_path: Path) -> None:
    database = Database(tmp_path)
    [(pages,)] = database.rows("PRAGMA page_count")
    database.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError, match="database or disk is full"):
        with database.transaction() as connection:
            connection.execute(INSERT, ("x" * 100_000,))
    database.rows("PRAGMA max_page_count = 10000")
    with database.transaction() as connection:
        connection.execute(INSERT, ("kept",))
    assert types_in(database) == ["kept"]


def test_a_commit_that_fails_leaves_no_transaction_open(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.transaction() as connection:
        connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY)")
        connection.execute(
            "CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    database.rows("PRAGMA foreign_keys = ON")
    with pytest.raises(StorageError, match="FOREIGN KEY constraint failed"):
        with database.transaction() as connection:
            connection.execute("INSERT INTO b VALUES (1)")
    with database.transaction() as connection:
        connection.execute(INSERT, ("after",))
    assert types_in(database) == ["after"]


def test_a_writer_that_waits_too_long_says_that_the_database_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 20)
    first, second = Database(tmp_path), Database(tmp_path)
    with first.transaction() as connection:
        connection.execute(INSERT, ("first",))
        with pytest.raises(StorageError, match="database is locked"), second.transaction():
            pytest.fail("two writers")
        assert types_in(second) == []
    assert types_in(second) == ["first"]


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    writer, reader = Database(tmp_path), Database(tmp_path)
    with writer.transaction() as connection:
        connection.execute(INSERT, ("unfinished",))
        assert types_in(reader) == []


def test_threads_write_one_after_the_other(tmp_path: Path) -> None:
    database = Database(tmp_path)

    def work(name: str) -> None:
        for _ in range(20):
            with database.transaction() as connection:
                connection.execute(INSERT, (name,))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(map(str, types_in(database))) == ["a"] * 20 + ["b"] * 20 + ["c"] * 20


def test_the_data_version_tells_that_somebody_else_has_committed(tmp_path: Path) -> None:
    ours, theirs = Database(tmp_path), Database(tmp_path)
    before = ours.data_version()
    assert ours.data_version() == before
    with theirs.transaction() as connection:
        connection.execute(INSERT, ("x",))
    assert ours.data_version() != before


@pytest.mark.parametrize("gone", ["folder", "files"])
def test_what_is_written_after_the_folder_was_taken_away_is_in_the_new_file(
    tmp_path: Path, gone: str
) -> None:
    ours = Database(tmp_path)
    run(ours, INSERT)
    before = ours.data_version()
    _take_away(tmp_path / ".devloop", gone)
    run(ours, INSERT)
    assert ours.data_version() != before
    ours.close()
    assert types_in(Database(tmp_path)) == ["row"]


def test_ids_of_a_database_that_was_taken_away_are_not_given_again(tmp_path: Path) -> None:
    ours = Database(tmp_path)
    run(ours, INSERT, INSERT)
    _take_away(tmp_path / ".devloop", "folder")
    run(ours, INSERT)
    _take_away(tmp_path / ".devloop", "files")
    run(ours, INSERT)
    assert ours.rows("SELECT id FROM events LIMIT 9") == [(4,)]


def test_a_server_that_lost_its_database_harms_nobody_who_has_made_another(tmp_path: Path) -> None:
    ours, theirs = Database(tmp_path), Database(tmp_path)
    run(ours, INSERT)
    _take_away(tmp_path / ".devloop", "folder")
    run(theirs, INSERT, INSERT)
    assert ours.rows("SELECT count(*) FROM events") == [(2,)]
    run(theirs, INSERT)
    ours.close()
    theirs.close()
    assert types_in(Database(tmp_path)) == ["row"] * 3


def test_ids_are_kept_up_although_the_new_database_can_not_be_made_at_once(tmp_path: Path) -> None:
    ours = Database(tmp_path)
    run(ours, INSERT, INSERT)
    _take_away(tmp_path / ".devloop", "folder")
    (tmp_path / ".devloop").write_bytes(b"")
    with pytest.raises(StorageError):
        ours.data_version()
    (tmp_path / ".devloop").unlink()
    run(ours, INSERT)
    assert (ours.rows("SELECT id FROM events LIMIT 9"), ours.generation) == ([(3,)], 1)


def _close_to_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for another user; root may write everywhere."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode & os.W_OK == 0)


def test_where_nothing_may_be_written_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Database(tmp_path)
    run(writer, INSERT)
    _close_to_writing(monkeypatch)
    reader = Database(tmp_path)
    assert types_in(reader) == ["row"]
    before = reader.data_version()
    run(writer, INSERT)
    assert len(types_in(reader)) == 2
    assert reader.data_version() != before
    writer.close()
    content = database_file(tmp_path).read_bytes()
    assert len(types_in(Database(tmp_path))) == 2
    assert database_file(tmp_path).read_bytes() == content


def test_a_database_of_an_earlier_version_is_read_as_one_of_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(Database(tmp_path), INSERT)
    with contextlib.closing(sqlite3.connect(database_file(tmp_path))) as earlier, earlier:
        earlier.execute("DROP TABLE saved_values")
        [(version,)] = earlier.execute("PRAGMA user_version").fetchall()
        earlier.execute(f"PRAGMA user_version = {version - 1}")
    _close_to_writing(monkeypatch)
    content = database_file(tmp_path).read_bytes()
    assert Database(tmp_path).rows("SELECT * FROM saved_values") == []
    assert types_in(Database(tmp_path)) == ["row"]
    assert database_file(tmp_path).read_bytes() == content


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_no_link_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    for name in ("else", "p"):
        (tmp_path / name).mkdir()
    run(Database(tmp_path / "else"), INSERT)
    target = tmp_path / "else/.devloop"
    if kind == "folder":
        (tmp_path / "p/.devloop").symlink_to(target)
    else:
        (tmp_path / "p/.devloop").mkdir()
        (tmp_path / "p/.devloop/state.db").symlink_to(target / "state.db")
    _close_to_writing(monkeypatch)
    with pytest.raises(StorageError, match="link"):
        types_in(Database(tmp_path / "p"))


def _take_away(folder: Path, what: str) -> None:
    if what == "folder":
        shutil.rmtree(folder)
        return
    for file in folder.glob("state.db*"):
        file.unlink()


def test_the_state_folder_keeps_itself_out_of_git(tmp_path: Path) -> None:
    Database(tmp_path).data_version()
    ignored = tmp_path / ".devloop" / ".gitignore"
    assert (ignored.read_bytes(), ignored.stat().st_mode & 0o111) == (b"*\n", 0)
    (tmp_path / ".devloop" / ".gitignore").write_bytes(b"mine\n")
    Database(tmp_path).data_version()
    assert (tmp_path / ".devloop" / ".gitignore").read_bytes() == b"mine\n"


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".devloop").mkdir()
    (tmp_path / ".devloop" / "state.db").write_bytes(content)
    with pytest.raises(
        StorageError, match=r"^\.devloop/state\.db can't be opened: .*keep the file"
    ):
        Database(tmp_path).require()
    assert (tmp_path / ".devloop" / "state.db").read_bytes() == content


def test_a_database_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "p" / ".devloop").mkdir(parents=True)
    (tmp_path / "p" / ".devloop" / "state.db").symlink_to(tmp_path / "outside.db")
    with pytest.raises(StorageError, match=r"state\.db: a link or no regular file"):
        Database(tmp_path / "p").data_version()
    assert not (tmp_path / "outside.db").exists()


@pytest.mark.parametrize("kind", ["file", "link", "gone"])
def test_a_state_folder_that_is_none_is_a_storage_error(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "project"
    if kind != "gone":
        root.mkdir()
    if kind == "file":
        (root / ".devloop").write_bytes(b"")
    if kind == "link":
        (root / ".devloop").symlink_to(tmp_path)
    with pytest.raises(StorageError):
        Database(root).data_version()
    assert not (tmp_path / "state.db").exists()


def test_a_schema_made_by_a_later_version_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".devloop").mkdir()
    later = sqlite3.connect(tmp_path / ".devloop" / "state.db")
    later.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, type TEXT, more TEXT)")
    later.execute("PRAGMA user_version = 99")
    later.close()
    assert types_in(Database(tmp_path)) == []


FIRST = """
import sys
from pathlib import Path
from devloop_tools.storage.database import Database
print("ready", flush=True)
for root in sys.stdin:
    database = Database(Path(root.strip()))
    with database.transaction() as connection:
        connection.execute("INSERT INTO events (ts, type, project_id, agent, data)"
                           " VALUES ('t', 'x', 'p', 'pm', '{}')")
    print("done", flush=True)
"""


def test_processes_that_open_it_for_the_first_time_at_once_do_not_fail_each_other(
    tmp_path: Path, start: Start
) -> None:
    children = [start(FIRST) for _ in range(4)]
    assert [_answer(child) for child in children] == ["ready\n"] * 4
    for number in range(40):
        root = tmp_path / str(number)
        root.mkdir()
        for child in children:
            assert child.stdin is not None
            child.stdin.write(f"{root}\n")
            child.stdin.flush()
        assert [_answer(child) for child in children] == ["done\n"] * 4
        assert len(types_in(Database(root))) == 4


def _answer(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline()
