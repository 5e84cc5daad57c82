"""Keeps answering the first lines while the rest is loaded, and notices a client that has gone."""

import contextlib
import os
import select
import threading
from collections.abc import Callable, Iterator

from devloop_tools.rpc.first_lines import FirstLines, go_on

PATIENCE_S = 0.5
"""Loading takes less, but on a machine that is busy; the whole end may take a second."""


@contextlib.contextmanager
def answering(
    lines: FirstLines,
    answer: Callable[[str, dict[str, object]], dict[str, object] | None],
    read_fd: int,
    write_fd: int,
) -> Iterator[None]:
    """Answer in a thread as long as the block runs; what is left over is in `lines` after it.

    Once the input has ended with nothing left to answer, the block gets `PATIENCE_S` to say what
    is wrong; then the process ends, code 0.
    """
    if lines.ended or os.isatty(read_fd):
        yield
        return
    stop_r, stop_w = os.pipe()

    def more() -> bool:
        return stop_r not in select.select([read_fd, stop_r], [], [])[0]

    def work() -> None:
        with contextlib.suppress(OSError):
            # A descriptor that fails fails again in the transport, which can say so.
            go_on(lines, answer, read_fd, write_fd, more)
        if lines.ended and not lines.rest.strip():
            if not select.select([stop_r], [], [], PATIENCE_S)[0]:
                os._exit(0)

    thread = threading.Thread(target=work, name="first lines", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.write(stop_w, b".")
        thread.join()
        os.close(stop_r)
        os.close(stop_w)
