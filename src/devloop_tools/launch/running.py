"""Runs the CLI to its end, and watches a headless one until it has said what it can do."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.verification import fault_in_init, is_init

_PATIENCE_S = 3.0
_FORWARDED = (signal.SIGTERM, signal.SIGHUP)


def run_interactively(argv: Sequence[str], env: Mapping[str, str], folder: Path) -> int:
    """Give the terminal to the CLI until it ends. Returns its exit code."""
    with subprocess.Popen(argv, env=dict(env), cwd=folder) as process:
        # Ctrl-C is the CLI's own affair.
        with _signals(process, ignored=(signal.SIGINT,), forwarded=_FORWARDED):
            return _exit_code(process.wait())


def run_headless(
    argv: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    expected: Collection[str],
    out: BinaryIO,
) -> int:
    """Pass the CLI's events on to `out`, and return its exit code.

    Raises LaunchError, the CLI being ended, where it offers less than `expected`, or says nothing
    of what it offers.
    """
    with subprocess.Popen(
        argv, env=dict(env), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        with _signals(process, ignored=(), forwarded=(signal.SIGINT, *_FORWARDED)):
            try:
                verified = _pass_on(process, expected, out)
            except BaseException:
                _end(process)
                raise
            code = _exit_code(process.wait())
    if not verified:
        raise LaunchError(f"the CLI ended with {code} and said nothing of its tools")
    return code


def _pass_on(process: subprocess.Popen[bytes], expected: Collection[str], out: BinaryIO) -> bool:
    """Whether the first event came, and was as expected."""
    assert process.stdout
    verified = False
    for line in process.stdout:
        out.write(line)
        out.flush()
        if not verified and (event := _event(line)) and is_init(event):
            if fault := fault_in_init(event, expected):
                raise LaunchError(fault)
            verified = True
    return verified


def _event(line: bytes) -> Mapping[str, object] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """As the CLI expects to be ended: it then ends its servers."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue


def _exit_code(returned: int) -> int:
    """As a shell tells it: 128 and the signal's number."""
    return returned if returned >= 0 else 128 - returned


@contextmanager
def _signals(
    process: subprocess.Popen[bytes],
    ignored: Sequence[signal.Signals],
    forwarded: Sequence[signal.Signals],
) -> Iterator[None]:
    def forward(number: int, _frame: FrameType | None) -> None:
        if process.poll() is None:
            os.kill(process.pid, number)

    handlers: dict[signal.Signals, Callable[[int, FrameType | None], None] | signal.Handlers] = {
        **dict.fromkeys(ignored, signal.SIG_IGN),
        **dict.fromkeys(forwarded, forward),
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
