"""`devloop-tools events`: print the project's events, and follow them."""

import os
import select
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from devloop_tools.cli import options
from devloop_tools.domain.events import Event, EventLog, Place, as_json
from devloop_tools.settings import Flags, resolve_project_dir
from devloop_tools.storage.database import Database, database_file

POLL_S = 0.05
"""How long a new event may wait before it is printed."""


class Format(StrEnum):
    JSON = "json"
    SSE = "sse"


def events(
    *,
    follow: Annotated[bool, typer.Option("--follow", help="Go on with new ones.")] = False,
    after: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Only events with an id above this.")
    ] = 0,
    output: Annotated[
        Format, typer.Option("--format", help="A JSON object a line, or server-sent events.")
    ] = Format.JSON,
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
) -> None:
    """Print what happened in the project, oldest first; with --follow until Ctrl-C."""
    flags = Flags(project_dir=project_dir, data_dir=data_dir, company=company, project=project)
    with options.reported():
        root = resolve_project_dir(flags, os.environ)
        shown = _line if output is Format.JSON else _sse
        try:
            _print(root, after, follow=follow, shown=shown)
        except (BrokenPipeError, KeyboardInterrupt):
            # Whoever read has had enough; Python would complain once more when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(root: Path, after: int, *, follow: bool, shown: Callable[[Event], bytes]) -> None:
    for event in _events(root, after, follow=follow):
        sys.stdout.buffer.write(shown(event))
        sys.stdout.buffer.flush()


def _events(root: Path, after: int, *, follow: bool) -> Iterator[Event]:
    while not database_file(root).exists():
        # Looking on makes no database.
        if not follow:
            return
        _wait()
    log = EventLog(Database(root))
    place = Place(after, generation=0)
    while True:
        page, place = log.read_on(place)
        while page:
            yield from page
            page, place = log.read_on(place)
        if not follow:
            return
        while not log.changed():
            _wait()


def _wait() -> None:
    """Until new events may be there. Raises BrokenPipeError when nobody reads any more."""
    stdout = select.poll()
    stdout.register(sys.stdout, 0)
    # Nothing was asked for, so that what is reported is an error or a hang-up.
    if stdout.poll(POLL_S * 1000):
        raise BrokenPipeError


def _line(event: Event) -> bytes:
    return as_json(event) + b"\n"


def _sse(event: Event) -> bytes:
    """As the HTML standard, section 9.2, reads it; JSON holds no line end."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.type.encode(), as_json(event))
