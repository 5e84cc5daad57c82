"""Signals while nothing has been started that could be cut short."""

import os
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_at_once_on_signals() -> None:
    """A signal ends the process, with code 0."""
    for number in SIGNALS:
        signal.signal(number, lambda _signal, _frame: os._exit(0))
