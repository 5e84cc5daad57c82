"""Progress of one call, from any thread, to the client that asked for it."""

import math
from collections.abc import Callable

from devloop_tools.protocol.messages import JsonObject


class NoProgress:
    """Nobody asked."""

    def report(self, progress: float, total: float | None = None, message: str = "") -> None:
        """Does nothing."""


class ProgressReporter:
    """Sends `notifications/progress` (MCP, utilities, progress): rising, never after the end.

    `send` is called on the event loop's thread, through `on_loop`.
    """

    def __init__(
        self,
        token: str | int,
        send: Callable[[JsonObject], None],
        on_loop: Callable[[Callable[[], None]], object],
    ) -> None:
        self._token = token
        self._send = send
        self._on_loop = on_loop
        self._last = float("-inf")
        self._open = True

    def report(self, progress: float, total: float | None = None, message: str = "") -> None:
        """Tell how far the call is; a value that doesn't rise is dropped."""
        params: JsonObject = {"progressToken": self._token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message:
            params["message"] = message
        self._on_loop(lambda: self._pass_on(progress, params))

    def close(self) -> None:
        """The call has ended."""
        self._open = False

    def _pass_on(self, progress: float, params: JsonObject) -> None:
        if self._open and math.isfinite(progress) and progress > self._last:
            self._last = progress
            self._send(params)
