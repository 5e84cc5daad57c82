"""Whatever stdin and stdout are, and whatever the environment says about text."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import (
    PATIENCE_S,
    PROTOCOL,
    Server,
    clean_environment,
    command,
    serving,
    strict_json,
)

TEXT = "甲乙丙 café \u2028 🍸"
OPENING = {
    "jsonrpc": "2.0",
    "id": "init",
    "method": "initialize",
    "params": {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {}},
}


def echo(request_id: int) -> dict[str, Any]:
    params = {"name": "f_echo", "arguments": {"text": TEXT}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def lines_of(*messages: dict[str, Any]) -> bytes:
    return "".join(json.dumps(message) + "\n" for message in messages).encode()


@pytest.mark.parametrize("over_sockets", [False, True], ids=["pipes", "socket pairs"])
def test_it_serves_over(over_sockets: bool, tmp_path: Path) -> None:
    with serving(tmp_path, over_sockets=over_sockets) as server:
        server.call(1, "f_echo", text=TEXT)
        assert server.reply(1)["result"]["content"][0]["text"] == TEXT
        server.close_stdin()
        ended = server.wait_ended(PATIENCE_S)
        assert ended is not None
        assert ended.code == 0


@pytest.mark.parametrize("last_line_ended", [True, False])
def test_requests_can_come_from_a_file_and_replies_go_to_one(
    last_line_ended: bool, tmp_path: Path
) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    content = lines_of(OPENING, echo(1))
    asked.write_bytes(content if last_line_ended else content[:-1])
    with asked.open("rb") as stdin, answered.open("wb") as stdout:
        done = subprocess.run(
            command(tmp_path), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
            env=clean_environment(), timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    replies = [strict_json(line) for line in answered.read_text("utf-8").split("\n")[:-1]]
    assert [reply["id"] for reply in replies] == ["init", 1]
    assert replies[1]["result"]["content"][0]["text"] == TEXT
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_empty_input_ends_it_without_a_word(tmp_path: Path) -> None:
    done = subprocess.run(
        command(tmp_path), stdin=subprocess.DEVNULL, capture_output=True,
        env=clean_environment(), timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "POSIX", "PYTHONUTF8": "0"},
        {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"},
    ],
    ids=lambda environment: " ".join(environment),
)
def test_encodings_of_the_environment_change_nothing(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with serving(tmp_path, env=environment) as server:
        server.call(1, "f_echo", text=TEXT)
        server.call(2, "f_print", text="印出")
        server.call(3, "timeline_append", event="单元.built", summary=TEXT)
        assert server.reply(1)["result"]["content"][0]["text"] == TEXT
        assert server.reply(2)["result"]["content"][0]["text"] == "ok"
        assert server.reply(3)["result"]["structuredContent"] == {"ok": True, "seq": 1}
        assert b"\r\n" not in b"\n".join(line.raw for line in server.lines)
    line = strict_json((tmp_path / "timeline.ndjson").read_text("utf-8"))
    assert (line["event"], line["summary"]) == ("单元.built", TEXT)


def test_a_path_that_is_not_ascii_can_hold_the_project(tmp_path: Path) -> None:
    project = tmp_path / "项目 one"
    project.mkdir()
    with Server(command(project), env={"LC_ALL": "C"}) as server:
        server.shake_hands()
        server.call(1, "f_write", path="docs/说明.md", text=TEXT)
        assert server.reply(1)["result"]["isError"] is False
    assert (project / "docs" / "说明.md").read_text("utf-8") == TEXT
