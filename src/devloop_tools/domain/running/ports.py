"""Ports that are promised to a name: leased in `.devloop/state.db` until their holder ends.

The system is asked too: a port that anybody uses, on either family, is never handed out.
"""

import errno
import itertools
import math
import os
import random
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.domain.running.processes import Process, process
from devloop_tools.storage.database import Database

DEFAULT_RANGE = (20_000, 29_999)
"""Below the ports that systems give to outgoing connections, so that none of those takes one."""

MAX_ROUNDS = 5
_SPARE = 32
_WILDCARDS = ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"))
_ADDRESSES = (*_WILDCARDS, (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_SELECT = "SELECT port, name, pid, started FROM port_leases"
_HOLDERS = "SELECT DISTINCT pid, started FROM port_leases"
_PORTS = "SELECT port FROM port_leases"


@dataclass(frozen=True, slots=True)
class Lease:
    """`port` is `name`'s while `holder` lives."""

    port: int
    name: str
    holder: Process


class PortLeases:
    """The leases of one project, the same in every process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pick(self, names: Sequence[str], first: int, last: int) -> dict[str, int] | Refused:
        """A port of its own for each name, held by this process; never one that is leased."""
        holder = _this_process()
        for _ in range(MAX_ROUNDS):
            leased = self._leased()
            unleased = (port for port in _scattered(first, last) if port not in leased)
            free = list(itertools.islice(filter(is_unused, unleased), len(names) + _SPARE))
            if len(free) < len(names):
                return _range_is_full(first, last, len(names), len(free), leased)
            with self._database.transaction() as connection:
                taken = _leased_after_ends(connection)
                left = [port for port in free if port not in taken]
                if len(left) >= len(names):
                    picked = dict(zip(names, left, strict=False))
                    for name, port in picked.items():
                        _insert(connection, Lease(port, name, holder))
                    return picked
        return refused(
            f"range: other processes took the free ports of {first} to {last} {MAX_ROUNDS} times.",
            "Call again, or give a wider range.",
        )

    def hold(self, port: int, name: str, holder: Process) -> Lease | None:
        """Lease `port` for as long as `holder` lives, to `name` if it is nobody's yet.

        Returns the lease, and changes nothing, where it is another server's for another name.
        """
        ours = _this_process()
        with self._database.transaction() as connection:
            _leased_after_ends(connection)
            rows = connection.execute(f"{_SELECT} WHERE port = ?", (port,)).fetchall()
            present = _lease(rows[0]) if rows else Lease(port, name, ours)
            if present.name != name and present.holder != ours:
                return present
            connection.execute("DELETE FROM port_leases WHERE port = ?", (port,))
            _insert(connection, Lease(port, present.name, holder))
        return None

    def live(self) -> list[Lease]:
        """Every lease whose holder lives, the newest last."""
        if not self._database.is_there():
            return []
        leases = [_lease(row) for row in self._database.rows(f"{_SELECT} ORDER BY id")]
        alive = {holder: holder.lives for holder in {lease.holder for lease in leases}}
        return [lease for lease in leases if alive[lease.holder]]

    def _leased(self) -> set[int]:
        holders = self._database.rows(_HOLDERS)
        if all(Process(int(str(pid)), str(started)).lives for pid, started in holders):
            return {int(str(port)) for (port,) in self._database.rows(_PORTS)}
        with self._database.transaction() as connection:
            return _leased_after_ends(connection)


def is_unused(port: int) -> bool:
    """Whether nobody uses `port` on either family, not even a connection that is ending."""
    return all(_binds(port, family, address, again=False) for family, address in _WILDCARDS)


def is_listened_on(port: int) -> bool:
    """Whether a server could not listen on `port` because one does already."""
    return not all(_binds(port, family, address, again=True) for family, address in _ADDRESSES)


def _binds(port: int, family: socket.AddressFamily, address: str, *, again: bool) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if again:
                # As servers do, so that what lingers of old connections doesn't count.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind((address, port))
    except OSError as exc:
        # A system without IPv6 has nobody there who could use it.
        return exc.errno not in (errno.EADDRINUSE, errno.EACCES)
    return True


def _this_process() -> Process:
    found = process(os.getpid())
    assert found is not None
    return found


def _insert(connection: sqlite3.Connection, lease: Lease) -> None:
    connection.execute(
        "INSERT INTO port_leases (port, name, pid, started, ts) VALUES (?, ?, ?, ?, ?)",
        (lease.port, lease.name, lease.holder.pid, lease.holder.started, timestamp()),
    )


def _lease(row: Sequence[object]) -> Lease:
    port, name, pid, started = row
    return Lease(int(str(port)), str(name), Process(int(str(pid)), str(started)))


def _leased_after_ends(connection: sqlite3.Connection) -> set[int]:
    """The ports that are leased, once the leases of ended holders are removed."""
    holders = connection.execute(_HOLDERS).fetchall()
    ended = [holder for holder in holders if not Process(*holder).lives]
    connection.executemany("DELETE FROM port_leases WHERE pid = ? AND started = ?", ended)
    return {port for (port,) in connection.execute(_PORTS)}


def _scattered(first: int, last: int) -> Iterator[int]:
    """Every port of the range, in an order that other processes hardly share."""
    size = last - first + 1
    start, step = random.randrange(size), random.randrange(size) + 1
    while math.gcd(step, size) > 1:
        step += 1
    return (first + (start + step * count) % size for count in range(size))


def _range_is_full(first: int, last: int, wanted: int, free: int, leased: set[int]) -> Refused:
    ours = len([port for port in leased if first <= port <= last])
    size = last - first + 1
    return refused(
        f"range: {wanted} ports are wanted and {free} of the {size} from {first} to {last} are"
        f" free: {ours} are leased in this project, {size - ours - free} are used by others.",
        "Give a wider range. Leases end with the server that holds them.",
    )
