"""A host calls write_todolist over pipes, without MCP: the file is on disk, the event came out.

phase0_test_call.py [PROJECT]: a new folder is used where none is named. Exit 1: something is
missing, and a line says what.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ITEMS: list[dict[str, Any]] = [
    {"id": "step-001", "description": "问清楚要做什么 Ask what is wanted"},
    {"id": "step-002", "description": "Write it down", "depends_on": ["step-001"]},
]
TODO_LIST = "agent-state/pm-todo.json"
ENOUGH = 10


class StubHost:
    """As much of a host as the call needs: it sends requests and keeps what comes unasked."""

    def __init__(self, project: Path) -> None:
        words = [sys.executable, "-P", "-m", "devloop_tools", "serve", "--agent", "pm"]
        self._server = subprocess.Popen(
            [*words, "--project-dir", str(project)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.events: list[dict[str, Any]] = []

    def request(self, request_id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The reply; notifications before it are kept."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()
        while (reply := self._next()).get("id") != request_id:
            pass
        return reply

    def wait_for(self, event: str) -> dict[str, Any] | None:
        """The event of this type, among the next few messages if it has not come yet."""
        for _ in range(ENOUGH):
            for seen in self.events:
                if seen["type"] == event:
                    return seen
            self._next()
        return None

    def close(self) -> int:
        assert self._server.stdin is not None
        self._server.stdin.close()
        return self._server.wait(timeout=10)

    def _next(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        if not line:
            sys.exit("the server has ended")
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "event":
            self.events.append(message["params"])
        return message


def main(arguments: list[str]) -> int:
    """Make the call and look at what it left; the exit code."""
    project = Path(arguments[0] if arguments else tempfile.mkdtemp(prefix="devloop-phase0-"))
    host = StubHost(project)
    host.request(1, "events.subscribe", {"after": 0})
    call: dict[str, Any] = {"name": "write_todolist", "input": {"items": ITEMS}}
    reply = host.request(2, "tools.execute", call)
    if reply.get("result", {}).get("ok") is not True:
        sys.exit(f"write_todolist: {reply}")
    print(f"write_todolist → {json.dumps(reply['result'], ensure_ascii=False)}")
    event = host.wait_for("agent.todolist")
    written = json.loads((project / TODO_LIST).read_text(encoding="utf-8"))
    if [item["id"] for item in written["items"]] != [item["id"] for item in ITEMS]:
        sys.exit(f"{TODO_LIST}: {written}")
    print(f"file  → {project / TODO_LIST}: {len(written['items'])} items")
    if event is None:
        sys.exit("no event agent.todolist came")
    print(f"event → {event['type']} {event['id']} of {event['agent']}")
    return host.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
