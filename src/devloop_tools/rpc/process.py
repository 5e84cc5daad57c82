"""The end of the process: on which signals, how fast, and always with the code that was meant."""

import _thread
import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from devloop_tools.rpc.signals import SIGNALS

GRACE_S = 0.08
"""Calls that finish within this after the end of input or a signal are still answered."""

LONGEST_END_S = 0.095
"""The process is gone by then, whatever a tool does. The CLI sends SIGTERM after 0.1 s."""


def call_on_signals(stop: Callable[[], object]) -> None:
    """Call `stop` on each signal, and end the process soon after even if that has no effect."""

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        end_within(LONGEST_END_S)
        stop()

    for number in SIGNALS:
        signal.signal(number, on_signal)


def end_within(seconds: float) -> None:
    """End the process with code 0 after `seconds`, unless it has ended by itself.

    Called in signal handlers, which may have interrupted `threading` while it held its lock on
    starting threads; the module below it takes none.
    """
    _thread.start_new_thread(_end_after, (seconds,))


def _end_after(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)
