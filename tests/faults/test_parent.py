"""The program that started the server is killed: the server ends by itself."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.processes.server import PATIENCE_S, clean_environment, command

HANG_S = 2.0
"""The server has 0.1 s to end; so much more is a hang."""

PARENT = """
import json, subprocess, sys, time
words, lines, alive_fd = json.loads(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
server = subprocess.Popen(
    words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    pass_fds=[alive_fd], start_new_session=True)
for line in lines:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\\n")
    server.stdin.flush()
server.stdout.readline()
print("ready", flush=True)
time.sleep(600)
"""


def call(request_id: int, tool: str, **given: object) -> dict[str, object]:
    params = {"name": tool, "input": given}
    return {"id": request_id, "method": "tools.execute", "params": params}


@pytest.mark.parametrize(
    "lines",
    [
        [{"id": 1, "method": "ping"}],
        [{"id": 1, "method": "server.info"}],
        [{"id": 1, "method": "events.subscribe"}, call(2, "f_sleep", seconds=600)],
        [{"id": 1, "method": "server.info"}, call(2, "f_block", seconds=600)],
        [{"id": 1, "method": "server.info"}, call(2, "f_stderr", bytes=1_000_000)],
    ],
    ids=["answering first lines", "idle", "subscribed and in a call", "in a thread", "talking"],
)
def test_a_server_whose_parent_is_killed_ends(
    tmp_path: Path, lines: list[dict[str, object]]
) -> None:
    alive_r, alive_w = os.pipe()
    os.set_inheritable(alive_w, True)
    words = [json.dumps(command(tmp_path)), json.dumps(lines), str(alive_w)]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *words],
        stdout=subprocess.PIPE,
        pass_fds=[alive_w],
        env=clean_environment(),
    ) as parent:
        os.close(alive_w)
        assert parent.stdout is not None
        assert select.select([parent.stdout], [], [], PATIENCE_S)[0]
        parent.send_signal(signal.SIGKILL)
        killed = time.monotonic()
    # The end that the server was given is closed when it is gone, whoever reaps it.
    assert select.select([alive_r], [], [], PATIENCE_S)[0]
    assert os.read(alive_r, 1) == b""
    os.close(alive_r)
    assert time.monotonic() - killed < HANG_S
