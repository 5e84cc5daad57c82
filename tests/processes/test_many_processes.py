"""Several servers' worth of calls on one project at once, and a disk that fills. H-G06, H-G08."""

import subprocess
import sys
from pathlib import Path

import orjson

CALLS = """
import asyncio, sys
from pathlib import Path
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.persistence.record_memory import record_memory
from devloop_tools.tools.persistence.timeline_append import timeline_append
from devloop_tools.tools.persistence.update_runtime_state import update_runtime_state

root, name = Path(sys.argv[1]), sys.argv[2]
ctx = tool_context(root)

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    calls = []
    for number in range(20):
        topic, content = f"主题 {number}", f"内容 of {name} {number}"
        calls.append(call_tool(record_memory, {"topic": topic, "content": content}, ctx))
        calls.append(call_tool(timeline_append, {"event": name, "data": {"n": number}}, ctx))
        calls.append(call_tool(update_runtime_state, {"patch": {f"{name}{number}": 1}}, ctx))
    results = await asyncio.gather(*calls)
    assert all(result.ok for result in results), results

asyncio.run(main())
"""


def test_calls_of_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CALLS, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("甲", "b")
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0, 0]
    lines = (tmp_path / "timeline.ndjson").read_bytes().splitlines()
    assert [orjson.loads(line)["seq"] for line in lines] == list(range(1, 41))
    folder = tmp_path / "memory" / "devloop" / "pm"
    ids = [
        memory["id"] for memory in orjson.loads((folder / "index.json").read_bytes())["memories"]
    ]
    assert len(set(ids)) == 40
    assert {path.stem for path in folder.glob("*.md")} == set(ids)
    state = orjson.loads((tmp_path / "agent-state" / "pm-runtime.json").read_bytes())
    assert (state["version"], len(state["state"])) == (40, 40)


FULL = """
import asyncio, resource, sys
from pathlib import Path
from devloop_tools.storage.errors import StorageError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.persistence.record_memory import record_memory
from devloop_tools.tools.persistence.timeline_append import timeline_append
from devloop_tools.tools.persistence.update_runtime_state import update_runtime_state
from devloop_tools.tools.persistence.update_todo_item import update_todo_item
from devloop_tools.tools.persistence.write_todolist import write_todolist

root = Path(sys.argv[1])
ctx = tool_context(root)
long = "长" * 1990
ITEMS = [{"id": f"step-{n:03}", "description": long} for n in range(1, 4)]

def files():
    return {str(path): path.read_bytes() for path in root.rglob("*")
            if path.is_file() and "state.db" not in path.name}

async def main():
    await call_tool(write_todolist, {"items": ITEMS}, ctx)
    await call_tool(update_runtime_state, {"patch": {"a": 1}}, ctx)
    await call_tool(record_memory, {"topic": "one", "content": "一"}, ctx)
    await call_tool(timeline_append, {"event": "one"}, ctx)
    before = files()
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    for tool, arguments in [
        (write_todolist, {"items": ITEMS}),
        (update_todo_item, {"id": "step-001", "status": "done", "note": "n"}),
        (update_runtime_state, {"patch": {"b": long}}),
        (record_memory, {"topic": "two", "content": long}),
        (timeline_append, {"event": "two", "summary": long}),
    ]:
        try:
            print(await call_tool(tool, arguments, ctx))
        except StorageError as exc:
            print(exc)
    print("same" if files() == before else sorted(set(files()) ^ set(before)))

asyncio.run(main())
"""


def test_a_disk_that_takes_no_more_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    *told, state = ended.stdout.splitlines()
    assert told == [
        "agent-state/pm-todo.json: File too large",
        "agent-state/pm-todo.json: File too large",
        "agent-state/pm-runtime.json: File too large",
        "memory/devloop/pm/two.md: File too large",
        "timeline.ndjson: File too large",
    ]
    assert state == "same"
