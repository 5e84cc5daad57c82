"""Two servers of one project at the same time lose nothing of each other."""

import json
from pathlib import Path

import pytest
from tests.processes.server import Server, serving

EACH = 20


def send_all(server: Server, name: str) -> None:
    for number in range(EACH):
        text = f"{name} 记住 {number}"
        server.call(f"memory-{number}", "record_memory", topic=text, content=text)
        server.call(f"timeline-{number}", "timeline_append", event="round.step", summary=text)


def wait_for_all(server: Server) -> list[int]:
    """The sequence numbers that were given out."""
    for number in range(EACH):
        assert server.reply(f"memory-{number}")["result"]["structuredContent"]["ok"] is True
    replies = [server.reply(f"timeline-{number}") for number in range(EACH)]
    return [reply["result"]["structuredContent"]["seq"] for reply in replies]


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_h_g06_two_processes_share_one_state_file(turn: int, tmp_path: Path) -> None:
    with serving(tmp_path) as one, serving(tmp_path) as other:
        send_all(one, "甲")
        send_all(other, "乙")
        numbers = wait_for_all(one) + wait_for_all(other)
    index = json.loads((tmp_path / "memory/devloop/pm/index.json").read_bytes())
    lines = (tmp_path / "timeline.ndjson").read_text("utf-8").split("\n")
    entries = [json.loads(line) for line in lines[:-1]]
    assert lines[-1] == ""
    assert [entry["seq"] for entry in entries] == list(range(1, 2 * EACH + 1))
    assert sorted(numbers) == list(range(1, 2 * EACH + 1))
    assert len({memory["id"] for memory in index["memories"]}) == 2 * EACH
    for memory in index["memories"]:
        assert memory["topic"] in (tmp_path / memory["path"]).read_text("utf-8")
