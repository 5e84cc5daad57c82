"""Tells clients that a resource has changed, whoever changed it: from the project's event log."""

from collections.abc import Sequence

import anyio
import anyio.to_thread

from devloop_tools.domain.events import Event
from devloop_tools.domain.project_resources import uris_of
from devloop_tools.server.session import Session

POLL_S = 0.1


def watch(session: Session) -> None:
    """Start watching, once a session."""
    if not session.watching:
        session.watching = True
        session.peer.start(lambda: _watch(session))


async def _watch(session: Session) -> None:
    after = await anyio.to_thread.run_sync(session.events.last_id, limiter=session.threads)
    while True:
        page = await anyio.to_thread.run_sync(
            session.events.read, after, abandon_on_cancel=True, limiter=session.threads
        )
        for uri in _changed(page):
            await session.peer.ready()
            _tell(session, uri)
        if page:
            after = page[-1].id
        else:
            await anyio.sleep(POLL_S)


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
