"""Turns of agents that share a process: no agent's flood of calls keeps the others waiting.

Without them calls would be run in the order in which they came, and whoever sends a thousand has
the threads, the disk and the table of open requests for itself.
"""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from devloop_tools.protocol.errors import INVALID_REQUEST, RpcError
from devloop_tools.rpc.connection import MAX_IN_FLIGHT

MOST_AT_WORK = 32
"""Calls of one agent that are at work at a time: seven such agents leave threads free."""


class Turns:
    """The calls of each agent on one connection: those at work, and those that wait."""

    def __init__(self, most_open: int = MAX_IN_FLIGHT) -> None:
        self._most_open = most_open
        self._all_open = 0
        self._open: dict[str, int] = defaultdict(int)
        self._at_work: dict[str, anyio.Semaphore] = {}

    @asynccontextmanager
    async def of(self, agent: str, *, works: bool) -> AsyncIterator[None]:
        """Wait for the agent's turn, and have it until the end of the block.

        A call that takes no thread, and so does not count as one that `works`, has its turn at
        once. Raises RpcError for an agent that has more calls open than there is room left for
        others; so there always is some.
        """
        if self._open[agent] > self._most_open - self._all_open:
            text = f"Invalid request: {self._open[agent]} calls of {agent} are open; await answers"
            raise RpcError(INVALID_REQUEST, text)
        self._open[agent] += 1
        self._all_open += 1
        try:
            if not works:
                yield
                return
            async with self._at_work.setdefault(agent, anyio.Semaphore(MOST_AT_WORK)):
                yield
        finally:
            self._open[agent] -= 1
            self._all_open -= 1
