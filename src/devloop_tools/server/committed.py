"""The project's events as they are committed, by this process or another."""

import logging
from collections.abc import Sequence

import anyio
import anyio.to_thread

from devloop_tools.domain.events import Event, Place
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import StorageError

RETRY_S = 2.0

_logger = logging.getLogger(__name__)


async def end(session: Session) -> Place:
    """The place behind the newest event. Raises StorageError."""
    return await anyio.to_thread.run_sync(session.events.end, limiter=session.threads)


async def next_events(
    session: Session, place: Place, pause_s: float
) -> tuple[Sequence[Event], Place]:
    """The events behind `place`, oldest first, and the place behind them; waits until there are
    some.

    The log is looked at every `pause_s`, since other processes commit too. Where it can't be read,
    that is said on stderr and it is tried again: a subscription is no reason to end the server.
    """
    while True:
        try:
            page, place = await anyio.to_thread.run_sync(
                session.events.read_on, place, abandon_on_cancel=True, limiter=session.threads
            )
        except StorageError as exc:
            _logger.warning("events: %s", exc)
            await anyio.sleep(RETRY_S)
            continue
        if page:
            return page, place
        await anyio.sleep(pause_s)
