"""A transport between two ends in one process, for tests and for calls without a client."""

import math

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream


class MemoryTransport:
    """One end of a pair. What one end sends, the other receives."""

    def __init__(
        self, inbound: MemoryObjectReceiveStream[bytes], outbound: MemoryObjectSendStream[bytes]
    ) -> None:
        self._inbound = inbound
        self._outbound = outbound

    async def receive(self) -> bytes | None:
        try:
            return await self._inbound.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            return None

    def send(self, line: bytes, *, last: bool = False) -> None:
        self._outbound.send_nowait(line)

    async def ready(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def write_queued(self) -> None:
        await anyio.sleep_forever()

    async def flush(self) -> None:
        await anyio.lowlevel.checkpoint()

    def close(self) -> None:
        """End the other end's input, and this one's."""
        self._outbound.close()
        self._inbound.close()


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends, each the other's peer."""
    left_out, right_in = anyio.create_memory_object_stream[bytes](math.inf)
    right_out, left_in = anyio.create_memory_object_stream[bytes](math.inf)
    return MemoryTransport(left_in, left_out), MemoryTransport(right_in, right_out)
