"""What was answered is on disk: every sync comes before the answer, in the right order.

A recorder stands around the system calls and the transport of a server in this process; a file is
known by its inode, so that a temporary name and its target are the same file.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest
from tests.processes.server import FIXTURES, PROTOCOL

from devloop_tools.app import build, run_connection
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.settings import Flags, resolve

Step = tuple[str, Any]
ANSWER: Step = ("answer", 2)


@dataclass
class Recorder:
    """What happened, in order: ("sync", inode), ("rename", inode), ("answer", id)."""

    steps: list[Step] = field(default_factory=list)

    def in_order(self, *wanted: Step) -> bool:
        """Whether `wanted` came one after the other, whatever else came between."""
        left = iter(self.steps)
        return all(step in left for step in wanted)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()

    def synced(call: Callable[[int], None]) -> Callable[[int], None]:
        def wrapper(fd: int) -> None:
            call(fd)
            recorder.steps.append(("sync", os.fstat(fd).st_ino))

        return wrapper

    rename = os.rename

    def renamed(source: str, target: str, **folders: Any) -> None:
        rename(source, target, **folders)
        found = os.stat(target, dir_fd=folders.get("dst_dir_fd"))
        recorder.steps.append(("rename", found.st_ino))

    monkeypatch.setattr(os, "fsync", synced(os.fsync))
    if hasattr(os, "fdatasync"):
        monkeypatch.setattr(os, "fdatasync", synced(os.fdatasync))
    monkeypatch.setattr(os, "rename", renamed)
    return recorder


async def call(project: Path, recorder: Recorder, tool: str, **arguments: Any) -> None:
    """Call a tool over a connection whose answers are recorded; it must say that it worked."""
    theirs, ours = memory_pair()
    send = ours.send

    def recorded(line: bytes, *, last: bool = False) -> None:
        recorder.steps.append(("answer", orjson.loads(line)["id"]))
        send(line, last=last)

    ours.send = recorded  # type: ignore[method-assign]  # recorded where a reply is handed over
    flags = Flags(agent="pm", project_dir=str(project), tools_dir=str(FIXTURES))
    application = build(resolve(flags, {}))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_connection, application, Connection(ours), [])
            _say(theirs, 1, "initialize", {"protocolVersion": PROTOCOL})
            _say(theirs, 2, "tools/call", {"name": tool, "arguments": arguments})
            await theirs.receive()
            reply = orjson.loads(await theirs.receive() or b"")
            theirs.close()
    ours.close()
    assert reply["result"]["structuredContent"]["ok"] is True


def _say(client: MemoryTransport, request_id: int, method: str, params: dict[str, Any]) -> None:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    client.send(orjson.dumps(message))


def inode(path: Path) -> int:
    return path.stat().st_ino


async def test_a_replaced_file_is_synced_renamed_and_its_folder_synced_before_the_answer(
    tmp_path: Path, recorder: Recorder
) -> None:
    items = [{"id": "step-001", "description": "写测试 write tests"}]
    await call(tmp_path, recorder, "write_todolist", items=items)
    file = inode(tmp_path / "agent-state/pm-todo.json")
    folder = inode(tmp_path / "agent-state")
    assert recorder.in_order(("sync", file), ("rename", file), ("sync", folder), ANSWER)


async def test_the_old_list_is_on_disk_under_its_new_name_before_it_is_replaced(
    tmp_path: Path, recorder: Recorder
) -> None:
    items = [{"id": "step-001", "description": "计划"}]
    await call(tmp_path, recorder, "write_todolist", items=items)
    old = inode(tmp_path / "agent-state/pm-todo.json")
    recorder.steps.clear()
    await call(tmp_path, recorder, "write_todolist", items=[*items, {**items[0], "id": "step-002"}])
    [kept] = (tmp_path / "agent-state/history").iterdir()
    new = ("rename", inode(tmp_path / "agent-state/pm-todo.json"))
    assert inode(kept) == old
    assert recorder.in_order(("sync", inode(kept.parent)), new, ANSWER)
    assert recorder.in_order(("sync", old), new)


async def test_a_new_folder_is_synced_into_its_parent_before_anything_is_put_into_it(
    tmp_path: Path, recorder: Recorder
) -> None:
    items = [{"id": "step-001", "description": "计划"}]
    await call(tmp_path, recorder, "write_todolist", items=items)
    file = inode(tmp_path / "agent-state/pm-todo.json")
    assert recorder.in_order(("sync", inode(tmp_path)), ("sync", file), ANSWER)


async def test_the_first_timeline_line_and_the_folder_are_synced_before_the_answer(
    tmp_path: Path, recorder: Recorder
) -> None:
    await call(tmp_path, recorder, "timeline_append", event="单元.built", summary="first")
    timeline = inode(tmp_path / "timeline.ndjson")
    assert recorder.in_order(("sync", timeline), ("sync", inode(tmp_path)), ANSWER)


async def test_a_further_timeline_line_is_synced_before_the_answer(
    tmp_path: Path, recorder: Recorder
) -> None:
    await call(tmp_path, recorder, "timeline_append", event="unit.built")
    recorder.steps.clear()
    await call(tmp_path, recorder, "timeline_append", event="单元.tested")
    assert recorder.in_order(("sync", inode(tmp_path / "timeline.ndjson")), ANSWER)


async def test_a_memory_is_on_disk_before_the_index_names_it(
    tmp_path: Path, recorder: Recorder
) -> None:
    await call(tmp_path, recorder, "record_memory", topic="登录", content="token 30 min")
    folder = tmp_path / "memory/devloop/pm"
    memory, index = inode(folder / "登录.md"), inode(folder / "index.json")
    assert recorder.in_order(
        ("sync", memory),
        ("rename", memory),
        ("sync", inode(folder)),
        ("sync", index),
        ("rename", index),
        ("sync", inode(folder)),
        ANSWER,
    )
