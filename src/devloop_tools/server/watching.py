"""Tells clients that a resource has changed, whoever changed it: from the project's event log."""

import logging
from collections.abc import Sequence

import anyio

from devloop_tools.domain.events import Event
from devloop_tools.domain.project_resources import uris_of
from devloop_tools.server.event_pages import RETRY_S, last_id, page_after
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import StorageError

POLL_S = 0.1

_logger = logging.getLogger(__name__)


def watch(session: Session) -> None:
    """Start watching, once a session."""
    if not session.watching:
        session.watching = True
        session.peer.start(lambda: _watch(session))


async def _watch(session: Session) -> None:
    after = await _start(session)
    while True:
        page = await page_after(session, after)
        for uri in _changed(page):
            await session.peer.ready()
            _tell(session, uri)
        if page:
            after = page[-1].id
        else:
            await anyio.sleep(POLL_S)


async def _start(session: Session) -> int:
    while True:
        try:
            return await last_id(session)
        except StorageError as exc:
            _logger.warning("events: %s", exc)
            await anyio.sleep(RETRY_S)


def _changed(events: Sequence[Event]) -> list[str]:
    """Each URI once, in the order of its first change."""
    return list(dict.fromkeys(uri for event in events for uri in uris_of(event)))


def _tell(session: Session, uri: str) -> None:
    if uri in session.subscribed_uris:
        session.peer.notify("notifications/resources/updated", {"uri": uri})
    for listener in session.listeners.values():
        if uri in listener.uris:
            params = {"uri": uri, "_meta": listener.meta()}
            session.peer.notify("notifications/resources/updated", params)
