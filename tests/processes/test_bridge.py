"""What contract_bridge writes in Python passes a strict type checker and reaches a server."""

import asyncio
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.domain.bridge.contracts import PLAIN, hostile
from tests.tools.coder.test_contract_bridge import bridge, promise

from devloop_tools.toolkit.testing import tool_context

HANG_S = 120

CALLER = """
import sys
from contract.client import Client, http_transport
from contract.models import Todo
from contract.handlers import UnitFunctions, UnitHandlers


def first(client: Client) -> Todo | None:
    answer = client.get_todos_by_id(id="一/1")
    return answer["body"] if answer["status"] == 200 else None


if __name__ == "__main__":
    client = Client(http_transport(sys.argv[1]))
    todo = first(client)
    made = client.post_todos(request={"title": "买菜", "priority": "low"})
    found = client.get_todos(request={"q": "菜 & b"})
    print(todo and todo["title"], made["status"], found["status"])
    UnitHandlers(), UnitFunctions()
"""
"""Passes the type checker only if a status tells the body's type."""


def made(root: Path, contract: Any) -> Path:
    """The unit's folder with its contract in Python."""
    promise(root, contract)
    ctx = tool_context(root, "coder", unit_id="todo-be", write_allow=["units/**"])
    assert asyncio.run(bridge(ctx, "python")).ok
    return root / "units/todo-be"


def checked(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".mypy", *files],
        cwd=folder, capture_output=True, text=True, timeout=HANG_S,
    )  # fmt: skip


class Answers(BaseHTTPRequestHandler):
    asked: list[str]

    def _answer(self, status: int) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.asked.append(f"{self.command} {self.path} {self.rfile.read(length).decode()}")
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps({"id": 1, "title": "买菜"}).encode())

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        self._answer(201)

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def server() -> Any:
    """Where it listens, and what it was asked."""
    Answers.asked = []
    listening = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}", Answers.asked
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_caller_passes_the_type_checker_and_reaches_the_unit(
    tmp_path: Path, server: tuple[str, list[str]]
) -> None:
    address, asked = server
    folder = made(tmp_path, PLAIN)
    (folder / "main.py").write_text(CALLER, encoding="utf-8")

    assert checked(folder, "contract", "main.py").stdout.startswith("Success")
    run = subprocess.run(
        [sys.executable, "main.py", address],
        cwd=folder, capture_output=True, text=True, timeout=HANG_S,
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("买菜 201 200\n", "")
    assert asked == [
        "GET /todos/%E4%B8%80%2F1 ",
        'POST /todos {"title": "\\u4e70\\u83dc", "priority": "low"}',
        "GET /todos?q=%E8%8F%9C+%26+b ",
    ]

    (folder / "main.py").write_text(CALLER.replace('"low"', '"none"'), encoding="utf-8")
    wrong = checked(folder, "main.py")
    assert "none" in wrong.stdout
    assert wrong.returncode == 1


def test_hostile_names_pass_too_and_the_code_runs(tmp_path: Path) -> None:
    folder = made(tmp_path, hostile())
    assert checked(folder, "contract").stdout.startswith("Success")
    script = (
        "import contract.client; from contract.handlers import *; UnitHandlers(); UnitFunctions()"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=HANG_S
    )
    assert run.stderr == ""
