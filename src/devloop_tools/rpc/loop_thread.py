"""The way back to the event loop for what runs in other threads."""

import threading
from collections.abc import Callable
from typing import ParamSpec

import anyio.from_thread
import anyio.lowlevel

P = ParamSpec("P")


class LoopThread:
    """Made on the event loop's thread, and used from any."""

    def __init__(self) -> None:
        self._loop = anyio.lowlevel.current_token()
        self._thread = threading.get_ident()

    def call(self, function: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Run `function` on the loop's thread, and wait until it has run."""
        if threading.get_ident() == self._thread:
            function(*args, **kwargs)
        else:
            anyio.from_thread.run_sync(lambda: function(*args, **kwargs), token=self._loop)
