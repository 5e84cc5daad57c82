"""Mixed writes over several servers of one project, each killed at random moments and restarted."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.processes.server import PATIENCE_S, Server, command

TOOLS = Path(__file__).resolve().parents[2] / "tools.d"
SLOTS = ("pm", "pm", "architect", "architect")
"""The agent of each server: two share each agent's files, and all share timeline and database."""

MOST_REPLIES = 8
LONGEST_PAUSE_S = 0.004
FILLER = "长 text " * 200


@dataclass(frozen=True, slots=True)
class Sent:
    """One call: the `number`th of this tool from this slot."""

    slot: int
    tool: str
    number: int

    @property
    def call_id(self) -> str:
        return f"{self.slot}-{self.tool}-{self.number}"

    @property
    def text(self) -> str:
        return f"{self.call_id} 记住"

    def arguments(self) -> dict[str, Any]:
        match self.tool:
            case "timeline_append":
                return {"event": "fault.step", "summary": self.text}
            case "record_memory":
                return {"topic": self.text, "content": f"{self.text}\n{FILLER}"}
            case "update_runtime_state":
                return {"patch": {f"slot-{self.slot}": self.number, "filler": FILLER}}
            case "write_todolist":
                ids = [f"step-{number:03}" for number in range(1, 20)]
                return {"items": [{"id": one, "description": self.text} for one in ids]}
            case _:
                return {"id": f"step-{self.slot:03}", "status": "doing", "note": self.text}


@dataclass(slots=True)
class Record:
    """What was sent and what was acknowledged, over all lives of all servers."""

    sent: list[Sent] = field(default_factory=list)
    acknowledged: dict[Sent, dict[str, Any]] = field(default_factory=dict)
    kills: int = 0
    kills_in_a_call: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)

    def of(self, tool: str) -> dict[Sent, dict[str, Any]]:
        """Acknowledged calls of one tool, with their results."""
        return {sent: result for sent, result in self.acknowledged.items() if sent.tool == tool}

    def last(self, slot: int, tool: str) -> int:
        """The number of the last acknowledged call, 0 if there was none."""
        return max((s.number for s in self.of(tool) if s.slot == slot), default=0)


class Life:
    """One server from its start to its end. Of each tool one call at a time is open."""

    def __init__(self, server: Server, slot: int, record: Record, numbers: dict[str, int]) -> None:
        self._server = server
        self._slot = slot
        self._record = record
        self._numbers = numbers
        self._taken = 0
        self.open: dict[str, Sent] = {}
        self.replies = 0

    def send(self, tool: str) -> None:
        self._numbers[tool] += 1
        sent = Sent(self._slot, tool, self._numbers[tool])
        self.open[sent.call_id] = sent
        with self._record.guard:
            self._record.sent.append(sent)
        params = {"name": tool, "input": sent.arguments(), "ctx": {"call_id": sent.call_id}}
        self._server.request(sent.call_id, "tools.execute", params)

    def take_replies(self, then: Callable[[str], None]) -> None:
        """Record what has been answered; `then` is called with each tool that was."""
        lines = self._server.lines
        for line in lines[self._taken :]:
            assert line.message is not None, line
            sent = self.open.pop(line.message["id"])
            with self._record.guard:
                self._record.acknowledged[sent] = line.message["result"]
            self.replies += 1
            then(sent.tool)
        self._taken = len(lines)

    def wait_for_more(self) -> None:
        """Until there is a reply that wasn't taken."""
        found = self._server.wait_until(lambda: len(self._server.lines) > self._taken, PATIENCE_S)
        assert found, f"no reply: {self._server.ended} {self._server.stderr[-2000:]}"


def tools_of(slot: int) -> list[str]:
    """Two slots replace their list, the other two change one that stays."""
    todo = "write_todolist" if SLOTS[slot] == "pm" else "update_todo_item"
    return ["timeline_append", "record_memory", "update_runtime_state", todo]


@contextmanager
def started(project: Path, agent: str) -> Iterator[Server]:
    words = command(project, agent=agent, tools_dir=TOOLS, more=["--host"])
    with Server(words) as server:
        yield server


def run_slot(project: Path, slot: int, kills: int, record: Record, rng: random.Random) -> None:
    """Start, load and kill one server after the other."""
    numbers = dict.fromkeys(tools_of(slot), 0)
    for _ in range(kills):
        with started(project, SLOTS[slot]) as server:
            life = Life(server, slot, record, numbers)
            for tool in tools_of(slot):
                life.send(tool)
            enough = rng.randint(0, MOST_REPLIES)
            while life.replies < enough:
                life.wait_for_more()
                life.take_replies(life.send)
            while life.open and rng.random() < 0.05:
                life.wait_for_more()
                life.take_replies(lambda _tool: None)
            threading.Event().wait(rng.uniform(0, LONGEST_PAUSE_S))
            server.kill()
            life.take_replies(lambda _tool: None)
        with record.guard:
            record.kills += 1
            record.kills_in_a_call += bool(life.open)


def load_and_kill(project: Path, kills: int, seed: int) -> Record:
    """`kills` kills over all slots; what was sent and acknowledged."""
    record = Record()
    with ThreadPoolExecutor(len(SLOTS)) as pool:
        each = [kills // len(SLOTS) + (slot < kills % len(SLOTS)) for slot in range(len(SLOTS))]
        running = [
            pool.submit(run_slot, project, slot, each[slot], record, random.Random(seed + slot))
            for slot in range(len(SLOTS))
        ]
        for slot in running:
            slot.result()
    return record
