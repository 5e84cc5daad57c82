"""How the process ends: on which signals, how fast, and with which code."""

import os
import signal
import subprocess
import sys
from typing import IO

import pytest

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
HANG_S = 10

AT_ONCE = """
import time
from devloop_tools.rpc.signals import end_at_once_on_signals
end_at_once_on_signals()
print("ready", flush=True)
time.sleep(60)
"""

STUCK = """
import os, time
from devloop_tools.rpc.process import call_on_signals
call_on_signals(lambda: os.write(1, b"stopping\\n"))
print("ready", flush=True)
while True:
    time.sleep(60)
"""

IN_THREADING = """
import os, signal, threading, time
from devloop_tools.rpc.process import call_on_signals
call_on_signals(lambda: os.write(1, b"stopping\\n"))
with threading._active_limbo_lock:
    signal.raise_signal(signal.SIGTERM)
    time.sleep(60)
"""

TAKEN_OVER = """
import os, subprocess, sys
from devloop_tools.rpc.stdio import take_over
read_fd, write_fd = take_over()
print("a stray print", flush=True)
subprocess.run(["sh", "-c", "cat; echo 子进程 child"], check=True)
os.write(write_fd, b"[" + os.read(read_fd, 100) + b"]")
"""


def start(program: str) -> "subprocess.Popen[bytes]":
    # Measured, the process would end by coverage's own way, which needs the lock held below.
    measured = program != IN_THREADING
    environ = {name: v for name, v in os.environ.items() if measured or "COVERAGE" not in name}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def stdout_of(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout


@pytest.mark.parametrize("number", SIGNALS)
def test_while_nothing_has_started_a_signal_ends_the_process(number: int) -> None:
    with start(AT_ONCE) as process:
        assert stdout_of(process).readline() == b"ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG_S)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_the_server_and_ends_a_process_that_is_stuck(number: int) -> None:
    with start(STUCK) as process:
        assert stdout_of(process).readline() == b"ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG_S)
    assert (process.returncode, out, err) == (0, b"stopping\n", b"")


def test_a_signal_that_comes_while_a_thread_is_being_started_ends_the_process_too() -> None:
    with start(IN_THREADING) as process:
        out, _ = process.communicate(timeout=HANG_S)
    assert (process.returncode, out) == (0, b"stopping\n")


def test_neither_a_print_nor_a_child_reaches_the_protocols_descriptors() -> None:
    with start(TAKEN_OVER) as process:
        out, err = process.communicate("甲".encode(), timeout=HANG_S)
    assert (process.returncode, out) == (0, "[甲]".encode())
    assert err.decode() == "a stray print\n子进程 child\n"
