"""The same over a real server's pipes: what is sent in one conversation after the other."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tests.fuzz.conversation import check, expected_of
from tests.fuzz.messages import conversations
from tests.fuzz.settings import fuzzed_slowly
from tests.processes.server import Server, command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("项目")


@fuzzed_slowly
@given(lines=conversations())
def test_a_process_answers_every_request_exactly_once(folder: Path, lines: list[bytes]) -> None:
    # Batches are answered in batches, which the tests in memory look into.
    lines = [line.replace(b"\n", b" ") for line in lines if not line.startswith(b"[")]
    waiting = expected_of(lines).answered
    with Server(command(folder)) as server:
        server.send_bytes(b"".join(line + b"\n" for line in lines))
        server.request("the last request \N{BLACK FLAG}", "server.info")
        for _, request_id in waiting:
            server.reply(request_id)
        server.close_stdin()
        ended = server.wait_ended(10)
    received: list[Any] = [line.message for line in server.lines]
    assert ended is not None
    assert ended.code == 0
    assert None not in received, [line.fault for line in server.lines if line.fault]
    assert "Traceback" not in server.stderr
    check(lines, [message for message in received if message is not None])
