"""Clients that read slowly, go away, or never look at stderr."""

import threading
import time
from pathlib import Path

import pytest
from tests.processes.server import PATIENCE_S, Server, command, serving

LARGE = 40_000
MANY = 300


@pytest.mark.parametrize("over_sockets", [False, True], ids=["pipe", "socket pair"])
def test_a_client_that_reads_late_gets_every_reply_whole(
    over_sockets: bool, tmp_path: Path
) -> None:
    with Server(command(tmp_path), read_stdout=False, over_sockets=over_sockets) as server:
        writing = threading.Thread(target=_ask_for_much, args=(server,))
        writing.start()
        # Requests for 12 MB of replies are on their way before the first is read.
        server.wait_until(lambda: False, 0.5)
        server.start_reading()
        writing.join(PATIENCE_S)
        for number in range(MANY):
            assert server.reply(number)["result"]["content"][0]["text"] == "b" * LARGE
        assert [line.fault for line in server.lines if line.fault] == []


def _ask_for_much(server: Server) -> None:
    client = {"name": "late", "version": "0"}
    given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    server.request("init", "initialize", given)
    for number in range(MANY):
        server.call(number, "f_big", bytes=LARGE)


def test_a_client_that_closes_stdout_ends_the_server_quietly(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_echo", text="loaded")
        server.reply(1)
        server.close_stdout()
        # stdin stays open: only the failing write can tell.
        for number in range(2, 12):
            server.call(number, "f_big", bytes=LARGE)
        ended = server.wait_ended(PATIENCE_S)
        assert ended is not None
        assert ended.code == 0
        assert server.stderr == ""


@pytest.mark.parametrize("tool", ["f_stderr", "f_raise"])
def test_a_stderr_that_nobody_reads_holds_nobody_up(tool: str, tmp_path: Path) -> None:
    with serving(tmp_path, drain_stderr=False) as server:
        if tool == "f_stderr":
            server.call(1, "f_stderr", bytes=1024 * 1024)
        else:
            # Each crash writes a traceback with its text to stderr: over 1 MB in all.
            for number in range(1, 121):
                server.call(number, "f_raise", kind="ValueError", msg="满" * 3000)
            server.reply(120)
        server.reply(1)
        server.request("ping", "ping")
        assert server.reply("ping")["result"] == {}
        since = time.monotonic()
        server.close_stdin()
        ended = server.wait_ended(PATIENCE_S)
        assert ended is not None
        assert (ended.code, ended.at - since < 2) == (0, True)


def test_what_tools_write_to_stderr_reaches_a_client_that_reads_it(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_stderr", bytes=1000)
        server.call(2, "f_print", text="印出 printed")
        server.reply(1)
        server.reply(2)
        server.close_stdin()
        server.wait_ended(PATIENCE_S)
        assert server.stderr.count("e" * 1000) == 1
        assert server.stderr.count("印出 printed") == 2
