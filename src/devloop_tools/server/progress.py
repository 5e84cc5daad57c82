"""Progress of one call, from any thread, to the client that asked for it."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devloop_tools.protocol.messages import JsonObject
from devloop_tools.rpc.loop_thread import LoopThread
from devloop_tools.server.values import plain_text
from devloop_tools.toolkit.context import Progress
from devloop_tools.toolkit.progress import NO_PROGRESS

MAX_MESSAGE = 2000


class ProgressReporter:
    """Sends what rises, and nothing after the end (MCP, utilities, progress).

    `send` is called on the event loop's thread; `report` may come from any.
    """

    def __init__(self, send: Callable[[JsonObject], None], loop: LoopThread) -> None:
        self._send = send
        self._loop = loop
        self._last = -math.inf
        self._open = True

    def report(self, progress: float, total: float | None = None, message: str = "") -> None:
        """Tell how far the call is; a value that doesn't rise is dropped."""
        self._loop.call(self._pass_on, progress, total, message)

    def close(self) -> None:
        """The call has ended."""
        self._open = False

    def _pass_on(self, progress: float, total: float | None, message: str) -> None:
        if not (self._open and math.isfinite(progress) and progress > self._last):
            return
        self._last = progress
        fact: JsonObject = {"progress": progress}
        if total is not None and math.isfinite(total):
            fact["total"] = total
        if message:
            fact["message"] = plain_text(message)[:MAX_MESSAGE]
        self._send(fact)


def reporting(
    send: Callable[[JsonObject], None], loop: LoopThread, *, wanted: bool
) -> AbstractContextManager[Progress]:
    """What a call reports through while it runs."""
    return _reporting(send, loop) if wanted else _UNWANTED


_UNWANTED = nullcontext(NO_PROGRESS)


@contextmanager
def _reporting(send: Callable[[JsonObject], None], loop: LoopThread) -> Iterator[Progress]:
    reporter = ProgressReporter(send, loop)
    try:
        yield reporter
    finally:
        reporter.close()
