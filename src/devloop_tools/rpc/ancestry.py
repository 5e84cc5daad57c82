"""Which processes this one descends from, each known for good by its pid and its start."""

import os
from typing import NamedTuple

from devloop_tools.rpc.process_starts import start_of

_MOST = 100


class Ancestor(NamedTuple):
    """`started` is a text to compare, which tells two processes of one pid apart."""

    pid: int
    started: str


def parent() -> Ancestor | None:
    """Who started this process; None if it has ended since."""
    return next(iter(_upwards(1)), None)


def ancestors() -> list[Ancestor]:
    """The parent, its parent and so on, but for the system's first process."""
    return _upwards(_MOST)


def _upwards(most: int) -> list[Ancestor]:
    found: list[Ancestor] = []
    pid = os.getppid()
    while pid > 1 and len(found) < most and (start := start_of(pid)):
        found.append(Ancestor(pid, start.started))
        pid = start.parent
    return found
