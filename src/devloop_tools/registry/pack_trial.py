"""Imports packs in a child process first, where they may exit, loop and print as they like."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

TIME_LIMIT_S = 3.0
"""How long one pack may take to be imported; the child's own start is not charged."""

START_LIMIT_S = 20.0
_CHILD = "devloop_tools.registry.pack_child"


TOO_SLOW = f"its import does not end within {TIME_LIMIT_S:g} s"
"""The one failure that is remembered: finding it out again would cost every start that long."""


def try_packs(paths: Sequence[Path]) -> Mapping[Path, str]:
    """Why packs failed; those that passed are absent. Bounded in time for each."""
    failed: dict[Path, str] = {}
    rest = list(paths)
    while rest:
        # A pack that ends or hangs the child takes nobody with it: the others get a new one.
        done = 0
        for path, reason in _try_in_one_child(rest):
            done += 1
            if reason:
                failed[path] = reason
        rest = rest[done:]
    return failed


def _try_in_one_child(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    child = subprocess.Popen(
        [sys.executable, "-m", _CHILD, *map(str, paths)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdout is not None
    lines = _lines(child.stdout.fileno())
    try:
        ready = bool(next(lines))
        for path in paths:
            verdict = next(lines) if ready else b""
            yield path, _reason(verdict)
            if not verdict:
                return
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.stdout.close()
        child.wait()


def _reason(verdict: bytes | None) -> str:
    if verdict is None:
        return TOO_SLOW
    if not verdict:
        return "its import ends the process"
    reason: str = orjson.loads(verdict)
    return reason


def _lines(fd: int) -> Iterator[bytes | None]:
    """Lines as they come; None when none comes in time, b"" when the child has ended."""
    held, limit = b"", START_LIMIT_S
    while True:
        deadline = time.monotonic() + limit
        while b"\n" not in held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                yield None
            elif chunk := os.read(fd, 1 << 16):
                held += chunk
            else:
                yield b""
        line, _, held = held.partition(b"\n")
        limit = TIME_LIMIT_S
        yield line
