"""Starts the real server over pipes for a sample project, and shows each call and what it left."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "sample-project"
MADE_HERE = PROJECT / ".made-by-make-run"

PLAN = [
    {"id": "step-001", "description": "Ask the customer about 登录 and sessions"},
    {"id": "step-002", "description": "写 PRD 的第一章", "depends_on": ["step-001"]},
]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("write_todolist", {"items": PLAN}),
    ("update_todo_item", {"id": "step-002", "status": "done"}),
    ("update_todo_item", {"id": "step-001", "status": "done", "evidence": "notes/2026-11.md"}),
    ("update_runtime_state", {"patch": {"phase": "writing", "chapter": "登录"}}),
    ("record_memory", {"topic": "登录 lifetime", "content": "Sessions end after 30 minutes."}),
    ("timeline_append", {"event": "prd.started", "summary": "PRD 开始编写"}),
    ("timeline_append", {"evnt": "a typo, so that you see what the model would read"}),
    ("spawn_units", {}),
]


class Client:
    """The least that an MCP client needs."""

    def __init__(self, command: list[str]) -> None:
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._last_id = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        assert self._server.stdout is not None
        reply: dict[str, Any] = json.loads(self._server.stdout.readline())
        return reply

    def notify(self, method: str) -> None:
        self._send({"method": method})

    def close(self) -> int:
        assert self._server.stdin is not None
        self._server.stdin.close()
        return self._server.wait(timeout=10)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._server.stdin.flush()


def main() -> None:
    """Run the sample and print it."""
    start_anew()
    command = [str(Path(sys.executable).with_name("devloop-tools")), "serve", "--agent", "pm"]
    print("$ devloop-tools serve --agent pm --project-dir sample-project\n")
    client = Client([*command, "--project-dir", str(PROJECT)])
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "run"}}
    answer = client.request("initialize", hello)["result"]
    print(f"initialize → {answer['serverInfo']['name']} {answer['serverInfo']['version']}")
    client.notify("notifications/initialized")
    tools = client.request("tools/list", {})["result"]["tools"]
    print("tools/list → " + ", ".join(tool["name"] for tool in tools))
    for name, arguments in CALLS:
        print(f"\n{name} {json.dumps(arguments, ensure_ascii=False)}")
        print(indented(said(client.request("tools/call", {"name": name, "arguments": arguments}))))
    print(f"\nend of input → exit code {client.close()}\n")
    show_files()


def start_anew() -> None:
    """Empty the sample's folder, if it is the sample's."""
    if PROJECT.exists() and not MADE_HERE.exists():
        sys.exit(f"{PROJECT.name}/ is there and was not made by this script; move it away first")
    shutil.rmtree(PROJECT, ignore_errors=True)
    PROJECT.mkdir()
    MADE_HERE.touch()


def said(reply: dict[str, Any]) -> str:
    """What the model reads."""
    if "error" in reply:
        return f"error {reply['error']['code']}: {reply['error']['message']}"
    text: str = reply["result"]["content"][0]["text"]
    return text


def indented(text: str) -> str:
    """Each line behind a mark."""
    return "\n".join(f"  → {line}" for line in text.splitlines())


def show_files() -> None:
    """The files that the calls left, and the shorter ones whole."""
    print("files in sample-project/:")
    for path in sorted(PROJECT.rglob("*")):
        relative = path.relative_to(PROJECT)
        if path.is_file() and relative.parts[0] not in (".devloop", MADE_HERE.name):
            print(f"\n── {relative}")
            print(path.read_text(encoding="utf-8").rstrip())
    print("\nmore: .devloop/state.db; print its events with")
    print("  .venv/bin/devloop-tools events --project-dir sample-project")


if __name__ == "__main__":
    main()
