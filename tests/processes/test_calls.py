"""Calls at once: none waits for another, and a cancelled one is let go."""

import time
from pathlib import Path

import pytest
from tests.processes.server import serving

CALLS = 50


def test_fifty_blocking_calls_run_at_the_same_time(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call("loaded", "f_echo", text="x")
        server.reply("loaded")
        since = time.monotonic()
        for number in range(CALLS):
            server.call(number, "f_block", seconds=2)
        for number in range(CALLS):
            server.reply(number)
        # One after the other they would take 100 s, forty at a time 4 s and more.
        assert time.monotonic() - since < 6


def test_a_ping_is_answered_while_every_thread_blocks(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for number in range(CALLS):
            server.call(number, "f_block", seconds=60)
        server.request("ping", "ping")
        assert server.reply("ping")["result"] == {}
        assert server.replies_to(0) == []


@pytest.mark.parametrize("tool", ["f_sleep", "f_block"])
def test_a_cancelled_call_is_never_answered(tool: str, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, tool, seconds=0.5)
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
        server.send(cancelled)
        server.send(cancelled)
        # It would have ended before this one, which began after it.
        server.call(2, tool, seconds=0.6)
        server.reply(2)
        assert server.replies_to(1) == []


def test_an_id_that_is_in_flight_is_refused_to_a_second_call(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_sleep", seconds=0.3)
        server.call(1, "f_echo", text="又一次 again")
        assert server.reply(1)["result"]["content"][0]["text"] == "ok"
        refusals = [
            line.message for line in server.lines if line.message and "error" in line.message
        ]
        assert [(refusal["id"], refusal["error"]["code"]) for refusal in refusals] == [
            (None, -32600)
        ]


@pytest.mark.parametrize("wrong", [2, "1", None, True, 1.5, {"id": 1}, [1]])
def test_a_cancel_for_another_id_changes_nothing(wrong: object, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_sleep", seconds=0.2)
        server.send({"method": "notifications/cancelled", "params": {"requestId": wrong}})
        assert server.reply(1)["result"]["content"][0]["text"] == "ok"


def test_progress_comes_in_order_and_before_the_answer(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        arguments = {"name": "f_progress", "arguments": {"n": 200}}
        server.request(1, "tools/call", {**arguments, "_meta": {"progressToken": "令牌"}})
        server.reply(1)
        told = [
            line.message["params"]["progress"]
            for line in server.lines
            if line.message and line.message.get("method") == "notifications/progress"
        ]
        assert told == list(range(1, 201))
        assert server.lines[-1].is_reply
