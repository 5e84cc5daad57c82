"""The project's event log in pages, for those who follow it: a log that fails ends nobody."""

import logging
from collections.abc import Sequence

import anyio
import anyio.to_thread

from devloop_tools.domain.events import Event
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import StorageError

RETRY_S = 1.0
"""A log that can't be read is looked at less often."""

_logger = logging.getLogger(__name__)


async def last_id(session: Session) -> int:
    """The id of the newest event. Raises StorageError."""
    return await anyio.to_thread.run_sync(session.events.last_id, limiter=session.threads)


async def page_after(session: Session, after: int) -> Sequence[Event]:
    """The next events above `after`; none where there are none, or where they can't be read."""
    try:
        return await anyio.to_thread.run_sync(
            session.events.read, after, abandon_on_cancel=True, limiter=session.threads
        )
    except StorageError as exc:
        _logger.warning("events: %s", exc)
        await anyio.sleep(RETRY_S)
        return []
