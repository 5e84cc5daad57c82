"""What a connection needs of whatever carries its lines."""

from typing import Protocol

ENOUGH_QUEUED = 1 << 20
"""Bytes that wait for a slow peer; no more is read from it while there are more."""


class Transport(Protocol):
    """A duplex stream of lines."""

    async def receive(self) -> bytes | None:
        """The next line without its LF; None at the end of input."""
        ...

    def send(self, line: bytes, *, last: bool = False) -> None:
        """Queue a line, LF included. Never blocks; order is kept.

        `last` says that no other is on its way: then it need not wait for company.
        """
        ...

    def is_full(self) -> bool:
        """Whether more than `ENOUGH_QUEUED` bytes wait to be taken."""
        ...

    async def ready(self) -> None:
        """Wait until it is no longer full."""
        ...

    async def write_queued(self) -> None:
        """Write what is queued, for ever. Raises PeerGone when nobody reads any more."""
        ...

    async def flush(self) -> None:
        """Wait until everything queued has been written."""
        ...


class PeerError(Exception):
    """The peer did not do what it was asked; the text says what, and why."""


class PeerGone(Exception):
    """The peer has closed its end."""
