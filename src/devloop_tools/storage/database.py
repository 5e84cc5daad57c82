"""`.devloop/state.db`: the one module that opens it.

SQLite in WAL mode with `synchronous=FULL`: a committed transaction survives power loss. Every
transaction is BEGIN IMMEDIATE with a busy timeout of 30 s, so that writers queue up instead of
failing. SQL here and above stays portable.

Where nothing may be written, what is there is read all the same.
"""

import contextlib
import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path

from devloop_tools.storage.errors import LockTimeout, StorageError, ToolSandboxError
from devloop_tools.storage.folders import open_folder
from devloop_tools.storage.locks import FileLocks

BUSY_TIMEOUT_MS = 30_000

_MIGRATIONS = (
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        ts TEXT NOT NULL,
        type TEXT NOT NULL,
        project_id TEXT NOT NULL,
        agent TEXT NOT NULL,
        unit_id TEXT,
        call_id TEXT,
        session_id TEXT,
        data TEXT NOT NULL
    )
    """,
    "CREATE TABLE used_states (nonce TEXT PRIMARY KEY, expires INTEGER NOT NULL)",
    """
    CREATE TABLE bugs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint TEXT NOT NULL,
        title TEXT NOT NULL,
        status TEXT NOT NULL,
        finished INTEGER NOT NULL,
        severity TEXT NOT NULL,
        category TEXT,
        unit_id TEXT,
        expected TEXT NOT NULL,
        actual TEXT NOT NULL,
        steps TEXT,
        evidence TEXT NOT NULL,
        occurrences INTEGER NOT NULL,
        assignee TEXT,
        duplicate_of INTEGER,
        previous INTEGER,
        opened_by TEXT NOT NULL,
        opened_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        searched TEXT NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX one_open_bug ON bugs (fingerprint) WHERE finished = 0",
    "CREATE INDEX bugs_by_fingerprint ON bugs (fingerprint, number)",
    """
    CREATE TABLE bug_steps (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        number INTEGER NOT NULL,
        ts TEXT NOT NULL,
        agent TEXT NOT NULL,
        call_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        from_status TEXT,
        status TEXT NOT NULL,
        reason TEXT NOT NULL,
        fields TEXT NOT NULL
    )
    """,
    "CREATE INDEX steps_by_bug ON bug_steps (number, id)",
    """
    CREATE TABLE bug_occurrences (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        number INTEGER NOT NULL,
        ts TEXT NOT NULL,
        agent TEXT NOT NULL,
        call_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        title TEXT NOT NULL,
        severity TEXT NOT NULL,
        steps TEXT,
        evidence TEXT NOT NULL
    )
    """,
    "CREATE INDEX occurrences_by_bug ON bug_occurrences (number, id)",
    """
    CREATE TABLE agent_clis (
        pid INTEGER NOT NULL,
        started TEXT NOT NULL,
        agent TEXT NOT NULL,
        seen TEXT NOT NULL,
        PRIMARY KEY (pid, started)
    )
    """,
    """
    CREATE TABLE port_leases (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        port INTEGER NOT NULL UNIQUE,
        name TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started TEXT NOT NULL,
        ts TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE saved_values (
        case_id TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (case_id, name)
    )
    """,
)
"""What brings a database from each version to the next; appended to, never changed."""

Row = tuple[object, ...]


def database_file(root: Path) -> Path:
    """Where the database of the project at `root` lies."""
    return root / ".devloop" / "state.db"


class Database:
    """One connection, shared by the threads of this process, one transaction at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = str(database_file(root))
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._opens = 0
        self._replaced = 0
        self._given: dict[str, int] = {}

    def require(self) -> None:
        """Open the database if it isn't yet. Raises StorageError, with what to do, if it can't be.

        What is called before a change of files is one whose event can be committed.
        """
        with self._lock:
            self._opened()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, on disk when the block ends, undone when it raises."""
        with self._lock:
            connection = self._opened()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except sqlite3.Error as exc:
                raise StorageError(f".devloop/state.db: {_told(exc)}") from exc
            finally:
                # A full disk undoes some transactions by itself, and leaves others open.
                if connection.in_transaction:
                    connection.rollback()

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[Row]:
        """All rows of a query, which must bound itself."""
        with self._lock:
            try:
                if self._connection is None and _is_closed_to_writing(self._root):
                    with contextlib.closing(self._open_to_read()) as connection:
                        return connection.execute(sql, values).fetchall()
                return self._opened().execute(sql, values).fetchall()
            except sqlite3.Error as exc:
                raise StorageError(f".devloop/state.db: {_told(exc)}") from exc

    @property
    def generation(self) -> int:
        """A number that changes when another file was found in the place of the one before."""
        return self._replaced

    def is_there(self) -> bool:
        """Whether anybody has written it: a reader need not make it."""
        return self._connection is not None or database_file(self._root).exists()

    def data_version(self) -> int:
        """A number that changes when another connection has committed (PRAGMA data_version)."""
        version = int(str(self.rows("PRAGMA data_version")[0][0]))
        if self._connection is None:
            # Each look that only reads has a connection of its own, which can't compare.
            return _last_write(database_file(self._root))
        return (self._opens << 32) + version

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._file != self._present_file():
            # Somebody took the folder away (git clean does): what went into the file that is open
            # would be in no file. SQLite leaves the new one's log alone when it closes the old one.
            self._replaced += 1
            with contextlib.suppress(sqlite3.Error):
                sql = "SELECT name, seq FROM sqlite_sequence"
                for name, seq in self._connection.execute(sql).fetchall():
                    self._given[name] = max(seq, self._given.get(name, 0))
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection, self._file = self._open(), self._present_file()
            self._opens += 1
            weakref.finalize(self, self._connection.close)
            # What can't be kept up now is no reason to write nothing.
            with contextlib.suppress(sqlite3.Error):
                _go_on_from(self._connection, self._given)
                self._given.clear()
        return self._connection

    def _present_file(self) -> tuple[int, int]:
        try:
            found = os.stat(self._path, follow_symlinks=False)
        except OSError:
            return (0, 0)
        return (found.st_dev, found.st_ino)

    def _open(self) -> sqlite3.Connection:
        try:
            with open_folder(self._root, (".devloop",), agent="", create=True) as folder:
                _ignore_in_git(folder)
                _refuse_link(folder)
            # Two processes that switch a fresh file to WAL at once fail each other.
            with FileLocks(self._root).hold(".devloop/state.db"):
                return self._connect()
        except (OSError, sqlite3.Error) as exc:
            why = exc.strerror if isinstance(exc, OSError) else _told(exc)
            raise StorageError(f".devloop/state.db can't be opened: {why}") from exc
        except (LockTimeout, ToolSandboxError) as exc:
            raise StorageError(f".devloop/state.db can't be opened: {exc.reason}") from exc

    def _open_to_read(self) -> sqlite3.Connection:
        """What lies there, at this moment: where nothing may be written, others may write still."""
        try:
            with open_folder(self._root, (".devloop",), agent="") as folder:
                _refuse_link(folder)
        except (OSError, ToolSandboxError) as exc:
            why = exc.strerror if isinstance(exc, OSError) else exc.reason
            raise StorageError(f".devloop/state.db can't be opened: {why}") from exc
        connection = connect_to_read(database_file(self._root))
        if _version(connection) >= len(_MIGRATIONS):
            return connection
        # Whoever reads expects the tables of this version.
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with contextlib.closing(connection):
            connection.backup(copy)
        _migrate(copy)
        return copy

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            database_file(self._root), isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            _migrate(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing in the file, for whoever may write nothing beside it too.

    Raises sqlite3.Error.
    """
    uri = f"{file.as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        _version(connection)
    except sqlite3.Error as exc:
        connection.close()
        if not isinstance(exc, sqlite3.OperationalError):
            raise
        log = Path(f"{file}-wal")
        if log.exists() and log.stat().st_size > 0:
            raise sqlite3.OperationalError(
                f"{log.name} can't be read where nothing may be written; "
                "call a tool once where the project may be written"
            ) from None
        # In WAL mode SQLite wants a file beside it also to read, but for one that stays as it is.
        return sqlite3.connect(
            f"{uri}&immutable=1", uri=True, isolation_level=None, check_same_thread=False
        )
    return connection


def _is_closed_to_writing(root: Path) -> bool:
    """Whether there is a database that this process may only read."""
    file = database_file(root)
    may_write = os.access(file.parent, os.W_OK | os.X_OK) and os.access(file, os.W_OK)
    return not may_write and file.exists()


def _last_write(file: Path) -> int:
    """When the database or its log was written last, in nanoseconds."""
    written = 0
    for name in (file, f"{file}-wal"):
        with contextlib.suppress(FileNotFoundError):
            written = max(written, os.stat(name).st_mtime_ns)
    return written


def _migrate(connection: sqlite3.Connection) -> None:
    if _version(connection) >= len(_MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it while this one waited for the lock.
    for statement in _MIGRATIONS[_version(connection) :]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
    connection.execute("COMMIT")


def _told(exc: sqlite3.Error) -> str:
    """What SQLite says, and what a person can do where the file itself is damaged."""
    if getattr(exc, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    ):
        return (
            f"{exc}. Stop the project's servers, keep the file, and move it and those named like it"
            " away or put a copy back: a new one holds no bugs and no events."
        )
    return str(exc)


def _go_on_from(connection: sqlite3.Connection, given: Mapping[str, int]) -> None:
    """Give no id again that the database before gave: bugs are quoted, subscribers count events."""
    if not given:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for name, seq in given.items():
            connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
                (name, name),
            )
            connection.execute(
                "UPDATE sqlite_sequence SET seq = ? WHERE name = ? AND seq < ?", (seq, name, seq)
            )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse_link(folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat("state.db", dir_fd=folder, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            raise StorageError(".devloop/state.db: a link or no regular file")


def _ignore_in_git(folder: int) -> None:
    # The server's own state is no part of a user's repository.
    with contextlib.suppress(FileExistsError):
        fd = os.open(
            ".gitignore",
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW,
            mode=0o666,
            dir_fd=folder,
        )
        try:
            os.write(fd, b"*\n")
        finally:
            os.close(fd)
