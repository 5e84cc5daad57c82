"""SIGKILL at random moments: nothing acknowledged is lost, and every file is whole."""

import json
import os
import random
import sqlite3
from pathlib import Path
from typing import Any

from tests.faults.load import SLOTS, Record, Sent, load_and_kill, started, tools_of

KILLS = int(os.environ.get("DEVLOOP_KILLS", "100"))
CHANGES = {
    "timeline_append": "timeline.appended",
    "record_memory": "memory.recorded",
    "update_runtime_state": "agent.runtime_state",
    "write_todolist": "agent.todolist",
    "update_todo_item": "agent.todo_item",
}


def test_nothing_acknowledged_is_lost_whenever_servers_are_killed(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 - pytest shows it where the test fails
    start_list(tmp_path, "architect")
    record = load_and_kill(tmp_path, KILLS, seed)
    assert record.kills == KILLS
    assert record.kills_in_a_call >= KILLS // 2
    assert all(result["ok"] for result in record.acknowledged.values())
    for slot in range(len(SLOTS)):
        goes_on(tmp_path, slot)
    every_file_is_whole(tmp_path)
    timeline_has_every_line(tmp_path, record)
    memories_are_there(tmp_path, record)
    states_are_no_older(tmp_path, record)
    lists_are_no_older(tmp_path, record)
    database_has_every_event(tmp_path, record)
    print(f"{len(record.sent)} calls sent, {len(record.acknowledged)} acknowledged")  # noqa: T201 - as above


def start_list(root: Path, agent: str) -> None:
    """The list that stays: a step for each slot."""
    items = [{"id": f"step-{slot:03}", "description": "写"} for slot in range(len(SLOTS))]
    with started(root, agent) as server:
        params = {"name": "write_todolist", "input": {"items": items}}
        server.request(1, "tools.execute", params)
        assert server.reply(1)["result"]["ok"]


def goes_on(root: Path, slot: int) -> None:
    """Whatever the killed ones left, a server that is started now can work."""
    with started(root, SLOTS[slot]) as server:
        for tool in tools_of(slot):
            if tool in ("timeline_append", "record_memory"):
                params = {"name": tool, "input": Sent(slot, tool, 10**6).arguments()}
                server.request(tool, "tools.execute", params)
                assert server.reply(tool)["result"]["ok"]


def every_file_is_whole(root: Path) -> None:
    files = [path for path in root.rglob("*") if path.is_file() and ".devloop" not in path.parts]
    for path in files:
        text = path.read_text(encoding="utf-8")
        match path.suffix:
            case ".json":
                assert isinstance(json.loads(text), dict), path
            case ".ndjson":
                assert all(isinstance(json.loads(line), dict) for line in text.split("\n")[:-1]), (
                    path
                )
            case ".md":
                front, _, _ = text.removeprefix("---\n").partition("\n---\n")
                assert "content_hash: sha256:" in front, path
            case _:
                # What a killed writer had not renamed yet; the next one of that file takes it away.
                assert path.name.endswith(".devloop-tmp"), path
    assert len(files) > 10


def timeline_has_every_line(root: Path, record: Record) -> None:
    text = (root / "timeline.ndjson").read_text(encoding="utf-8")
    entries = [json.loads(line) for line in text.split("\n")[:-1]]
    assert text.endswith("\n")
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    acknowledged = record.of("timeline_append")
    assert len({result["seq"] for result in acknowledged.values()}) == len(acknowledged) > 0
    for sent, result in acknowledged.items():
        entry = entries[result["seq"] - 1]
        assert (entry["summary"], entry["call_id"]) == (sent.text, sent.call_id)


def memories_are_there(root: Path, record: Record) -> None:
    for agent in set(SLOTS):
        index = document(root, f"memory/devloop/{agent}/index.json")
        known = {memory["id"]: memory for memory in index["memories"]}
        assert len(known) == len(index["memories"])
        for sent, result in record.of("record_memory").items():
            if SLOTS[sent.slot] == agent:
                assert known[result["id"]]["topic"] == sent.text
                content = (root / result["path"]).read_text(encoding="utf-8")
                assert content.endswith(sent.arguments()["content"] + "\n")
        assert all((root / memory["path"]).is_file() for memory in known.values())


def states_are_no_older(root: Path, record: Record) -> None:
    for agent in set(SLOTS):
        document_ = document(root, f"agent-state/{agent}-runtime.json")
        versions = []
        for slot in range(len(SLOTS)):
            if SLOTS[slot] == agent:
                last = record.last(slot, "update_runtime_state")
                assert document_["state"].get(f"slot-{slot}", 0) >= last
        for sent, result in record.of("update_runtime_state").items():
            if SLOTS[sent.slot] == agent:
                versions.append(result["version"])
        assert len(set(versions)) == len(versions)
        assert document_["version"] >= max(versions)


def lists_are_no_older(root: Path, record: Record) -> None:
    [text] = {item["description"] for item in document(root, "agent-state/pm-todo.json")["items"]}
    slot, _, number = text.removesuffix(" 记住").split("-")
    assert int(number) >= record.last(int(slot), "write_todolist") > 0
    for item in document(root, "agent-state/architect-todo.json")["items"]:
        slot = int(item["id"].removeprefix("step-"))
        if "update_todo_item" in tools_of(slot):
            number = item["note"].removesuffix(" 记住").rpartition("-")[2]
            assert int(number) >= record.last(slot, "update_todo_item") > 0


def database_has_every_event(root: Path, record: Record) -> None:
    connection = sqlite3.connect(root / ".devloop" / "state.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("SELECT id, call_id, type FROM events ORDER BY id").fetchall()
    finally:
        connection.close()
    kept = {(call_id, kind) for _, call_id, kind in rows}
    assert len({number for number, _, _ in rows}) == len(rows)
    for sent in record.acknowledged:
        assert (sent.call_id, CHANGES[sent.tool]) in kept


def document(root: Path, path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((root / path).read_bytes())
    return content
