"""What a connection needs of whatever carries its lines."""

from typing import Protocol


class Transport(Protocol):
    """A duplex stream of lines."""

    async def receive(self) -> bytes | None:
        """The next line without its LF; None at the end of input."""
        ...

    def send(self, line: bytes) -> None:
        """Queue a line, LF included. Never blocks; order is kept."""
        ...

    async def ready(self) -> None:
        """Wait until the peer has taken enough for more to be queued."""
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
