"""What durability costs: our tools beside the same steps done bare, and many writers at once."""

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.client import Client, Failed
from bench.measures import project
from bench.servers import Server

STEPS = (
    "flock; read the old file; write it to history (write, fsync, rename, fsync of the folder);"
    " write the new one (the same four); one SQLite commit (WAL, synchronous=FULL)"
)
ITEMS = [{"id": f"step-{n:03}", "description": f"第 {n} 步 of the plan"} for n in range(1, 11)]
PROCESSES = 8
IN_FLIGHT = 4


@dataclass(frozen=True, slots=True)
class Appended:
    """What many writers left in one timeline."""

    lines: int
    gapless: bool
    seconds: float


def file_system(folder: Path) -> str:
    """The type of the file system that holds `folder`."""
    best, kind = "", "unknown"
    with open("/proc/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            _, point, this_kind, *_ = line.split()
            if len(point) > len(best) and folder.resolve().is_relative_to(point):
                best, kind = point, this_kind
    return kind


def todolists(server: Server, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of write_todolist and of the bare steps, one after the other each round."""
    ours: list[float] = []
    bare: list[float] = []
    with project() as folder, project() as other, Client(server.command(folder)) as client:
        client.initialize()
        client.call("write_todolist", {"items": ITEMS})
        content = (folder / "agent-state" / "bench-todo.json").read_bytes()
        with _bare_project(other) as steps:
            steps.run(content, 0)
            for count in range(1, rounds + 1):
                since = time.perf_counter()
                client.call("write_todolist", {"items": ITEMS})
                between = time.perf_counter()
                steps.run(content, count)
                ours.append((between - since) * 1000)
                bare.append((time.perf_counter() - between) * 1000)
    return ours, bare


def timelines(server: Server, each: int) -> Appended:
    """`PROCESSES` servers of one project append at the same time."""
    with project() as folder, ExitStack() as stack:
        command = server.command(folder)
        clients = [stack.enter_context(Client(command)) for _ in range(PROCESSES)]
        for client in clients:
            client.initialize()
        lines = [
            [client.tool("timeline_append", {"event": "unit.built"}) for _ in range(each)]
            for client in clients
        ]
        since = time.perf_counter()
        with ThreadPoolExecutor(PROCESSES) as pool:
            append = partial(Client.in_flight, window=IN_FLIGHT)
            list(pool.map(append, clients, lines))
        seconds = time.perf_counter() - since
        written = (folder / "timeline.ndjson").read_bytes().split(b"\n")
    if written.pop() != b"":
        raise Failed("the last line of the timeline is torn")
    numbers = [json.loads(line)["seq"] for line in written]
    return Appended(len(numbers), numbers == list(range(1, len(numbers) + 1)), seconds)


class _Steps:
    """The bare steps, with nothing around them."""

    def __init__(self, root: Path, database: sqlite3.Connection) -> None:
        self._state = root / "agent-state"
        self._history = self._state / "history"
        self._lock = root / "lock"
        self._database = database

    def run(self, content: bytes, count: int) -> None:
        lock = os.open(self._lock, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            target = self._state / "todo.json"
            if target.exists():
                _replace(self._history, f"todo-{count}.json", target.read_bytes())
            _replace(self._state, "todo.json", content)
        finally:
            os.close(lock)
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("INSERT INTO events (data) VALUES (?)", (content.decode(),))
        self._database.execute("COMMIT")


@contextmanager
def _bare_project(root: Path) -> Iterator[_Steps]:
    (root / "agent-state" / "history").mkdir(parents=True)
    database = sqlite3.connect(root / "state.db", isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, data TEXT NOT NULL)")
        yield _Steps(root, database)
    finally:
        database.close()


def _replace(folder: Path, name: str, content: bytes) -> None:
    temporary = folder / f".{name}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(fd, content)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(temporary, folder / name)
    above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(above)
    finally:
        os.close(above)
