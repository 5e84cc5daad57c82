"""Tells clients that a resource has changed, whoever changed it: from the project's event log."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import anyio

from devloop_tools.domain.events import Event, Place
from devloop_tools.domain.project_resources import uris_of
from devloop_tools.protocol.errors import INTERNAL_ERROR, RpcError
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.committed import end, next_events
from devloop_tools.server.session import Session
from devloop_tools.storage.errors import StorageError

POLL_S = 0.1


async def watch(session: Session) -> None:
    """Watch, once a session: what is committed after this returns is told."""
    if session.watcher is not None:
        return
    try:
        place = await end(session)
    except StorageError as exc:
        raise RpcError(INTERNAL_ERROR, f"changes can't be watched: {exc}") from None
    # Another subscription may have started meanwhile, from an id as low.
    if session.watcher is None:
        session.watcher = scope = anyio.CancelScope()
        session.peer.start(partial(_watch, session, scope, place))


def watch_no_more(session: Session) -> None:
    """End the watch if nobody is subscribed any more."""
    if session.watcher is not None and not any(_subscriptions(session)):
        session.watcher.cancel()
        session.watcher = None


async def _watch(session: Session, scope: anyio.CancelScope, place: Place) -> None:
    with scope:
        while True:
            page, place = await next_events(session, place, POLL_S)
            for uri in _changed(page):
                await session.peer.ready()
                _tell(session, uri)


def _changed(events: Sequence[Event]) -> list[str]:
    """Each URI once, in the order of its first change."""
    return list(dict.fromkeys(uri for event in events for uri in uris_of(event)))


def _tell(session: Session, changed: str) -> None:
    for uris, extra in _subscriptions(session):
        for given, uri in uris.items():
            if uri == changed:
                session.peer.notify("notifications/resources/updated", {"uri": given, **extra})


def _subscriptions(session: Session) -> Iterator[tuple[Mapping[str, str], JsonObject]]:
    """The URIs that somebody wants to hear of, and what each notification carries besides."""
    if session.subscribed_uris:
        yield session.subscribed_uris, {}
    for listener in session.listeners.values():
        if listener.uris:
            yield listener.uris, {"_meta": listener.meta()}
