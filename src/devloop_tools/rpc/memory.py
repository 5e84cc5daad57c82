"""A transport between two ends in one process, for tests and for calls without a client."""

from collections import deque

import anyio

from devloop_tools.rpc.transport import ENOUGH_QUEUED


class _Lane:
    """Lines on their way from one end to the other."""

    def __init__(self) -> None:
        self.lines: deque[bytes] = deque()
        self.queued = 0
        self.closed = False
        self._changed = anyio.Event()

    def change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def changed(self) -> None:
        await self._changed.wait()


class MemoryTransport:
    """One end of a pair. What one end sends, the other receives."""

    def __init__(self, inbound: _Lane, outbound: _Lane) -> None:
        self._inbound = inbound
        self._outbound = outbound

    async def receive(self) -> bytes | None:
        lane = self._inbound
        while not lane.lines:
            if lane.closed:
                return None
            await lane.changed()
        line = lane.lines.popleft()
        lane.queued -= len(line)
        lane.change()
        return line

    def send(self, line: bytes, *, last: bool = False) -> None:
        self._outbound.lines.append(line)
        self._outbound.queued += len(line)
        self._outbound.change()

    def is_full(self) -> bool:
        return self._outbound.queued > ENOUGH_QUEUED

    async def ready(self) -> None:
        while self.is_full():
            await self._outbound.changed()

    async def write_queued(self) -> None:
        await anyio.sleep_forever()

    async def flush(self) -> None:
        """Nothing to do: what was sent is where the other end finds it."""

    def close(self) -> None:
        """End the other end's input; what was sent before is still received."""
        self._outbound.closed = True
        self._outbound.change()


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends, each the other's peer."""
    there, back = _Lane(), _Lane()
    return MemoryTransport(back, there), MemoryTransport(there, back)
