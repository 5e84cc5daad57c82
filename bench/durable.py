"""What durability costs: our tools beside the same steps done bare, and many writers at once."""

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.client import Client, Failed
from bench.measures import project
from bench.servers import Server

STEPS = (
    "flock; read the old file; write it to history (write, fsync, rename, fsync of the folder);"
    " write the new one (the same four); one SQLite commit (WAL, synchronous=FULL)"
)
LINKED_STEPS = (
    "flock; give the old file a second name in history; write the new one (write, fsync); fsync"
    " the folder of history and the old file; rename, fsync of the folder; the same commit"
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


@dataclass(frozen=True, slots=True)
class Written:
    """Milliseconds of each list that was written, in the same rounds.

    `bare` writes every file as any durable file is written; `linked` takes the steps that the tool
    takes, which keeps the old list by a second name.
    """

    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    linked: list[float] = field(default_factory=list)


def todolists(server: Server, rounds: int) -> Written:
    """write_todolist and the bare steps, one after the other each round."""
    written = Written()
    with ExitStack() as stack:
        folders = [stack.enter_context(project()) for _ in range(3)]
        client = stack.enter_context(Client(server.command(folders[0])))
        client.initialize()
        client.call("write_todolist", {"items": ITEMS})
        content = (folders[0] / "agent-state" / "bench-todo.json").read_bytes()
        bare, linked = (stack.enter_context(_bare_project(folder)) for folder in folders[1:])
        turns: list[tuple[list[float], Callable[[int], object]]] = [
            (written.ours, lambda _: client.call("write_todolist", {"items": ITEMS})),
            (written.bare, partial(bare.run, content)),
            (written.linked, partial(linked.run_linked, content)),
        ]
        for count in range(rounds + 1):
            for times, act in turns:
                since = time.perf_counter()
                act(count)
                # The first round makes what the others find.
                if count:
                    times.append((time.perf_counter() - since) * 1000)
    return written


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
        with self._locked():
            target = self._state / "todo.json"
            if target.exists():
                _replace(self._history, f"todo-{count}.json", target.read_bytes())
            _replace(self._state, "todo.json", content)
        self._commit(content)

    def run_linked(self, content: bytes, count: int) -> None:
        with self._locked():
            target = self._state / "todo.json"
            kept = target.exists()
            if kept:
                os.link(target, self._history / f"todo-{count}.json")
            temporary = _written(self._state, "todo.json", content)
            if kept:
                _sync(self._history, os.O_RDONLY | os.O_DIRECTORY)
                _sync(target, os.O_RDONLY)
            os.rename(temporary, target)
            _sync(self._state, os.O_RDONLY | os.O_DIRECTORY)
        self._commit(content)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self._lock, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _commit(self, content: bytes) -> None:
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
    os.rename(_written(folder, name, content), folder / name)
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _written(folder: Path, name: str, content: bytes) -> Path:
    temporary = folder / f".{name}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(fd, content)
        os.fsync(fd)
    finally:
        os.close(fd)
    return temporary


def _sync(path: Path, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
