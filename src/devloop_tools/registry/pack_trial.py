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


TOO_SLOW = (
    f"its import does not end within {TIME_LIMIT_S:g} s;"
    " devloop-tools pack check tries it once more"
)
"""The one failure that is remembered: finding it out again would cost every start that long."""

_NO_CHILD = "it can't be tried: no child process starts"


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
    read_fd, write_fd = os.pipe()
    child = _started(paths, write_fd)
    os.close(write_fd)
    lines = _lines(read_fd)
    try:
        if child is None or not next(lines):
            yield from ((path, PackVerdict(_NO_CHILD)) for path in paths)
            return
        for path in paths:
            line = next(lines)
            try:
                yield path, from_json(line or b"")
            except (ValueError, TypeError):
                # What comes after it would be taken for the verdicts on others.
                yield path, PackVerdict(_why_not(line))
                return
    finally:
        os.close(read_fd)
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _started(paths: Sequence[Path], write_fd: int) -> "subprocess.Popen[bytes] | None":
    try:
        return subprocess.Popen(
            # -P: the folder in which the server runs is an agent's, and holds no modules of ours.
            [sys.executable, "-P", "-m", _CHILD, str(write_fd), *map(str, paths)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[write_fd],
            start_new_session=True,
        )
    except OSError:
        return None


def _why_not(line: bytes | None) -> str:
    if line is None:
        return TOO_SLOW
    return "its import writes where it should not" if line else "its import ends the process"


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
