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

from devloop_tools.registry.pack_verdicts import PackVerdict, from_json

TIME_LIMIT_S = 3.0
"""How long one pack may take to be imported; the child's own start is not charged."""

START_LIMIT_S = 20.0
_CHILD = "devloop_tools.registry.pack_child"


TOO_SLOW = f"its import does not end within {TIME_LIMIT_S:g} s"
"""The one failure that is remembered: finding it out again would cost every start that long."""


def try_packs(paths: Sequence[Path]) -> Mapping[Path, PackVerdict]:
    """What came of each pack. Bounded in time."""
    verdicts: dict[Path, PackVerdict] = {}
    rest = list(paths)
    while rest:
        # A pack that ends or hangs the child takes nobody with it: the others get a new one.
        tried = dict(_try_in_one_child(rest))
        verdicts.update(tried)
        rest = rest[len(tried) :]
    return verdicts


def _try_in_one_child(paths: Sequence[Path]) -> Iterator[tuple[Path, PackVerdict]]:
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
            line = next(lines) if ready else b""
            yield path, _verdict(line)
            if not line:
                return
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.stdout.close()
        child.wait()


def _verdict(line: bytes | None) -> PackVerdict:
    if line is None:
        return PackVerdict(TOO_SLOW)
    return from_json(line) if line else PackVerdict("its import ends the process")


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
