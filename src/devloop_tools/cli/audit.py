"""`devloop-tools audit`: every decision about a call, with the rule that made it."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import orjson
import typer

from devloop_tools.cli import options
from devloop_tools.domain.audit import AuditEntry, read_audit
from devloop_tools.domain.events import EventLog
from devloop_tools.settings import Flags, SettingsError, resolve_project_dir, short_name
from devloop_tools.storage.database import Database, database_file

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_AGO = re.compile(r"(\d{1,6})([smhd])")
_COLUMNS = ("ts", "agent", "decision", "outcome", "tool", "rule")


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"


def audit(
    *,
    agent: Annotated[str | None, typer.Option(help="Of one agent alone.")] = None,
    since: Annotated[
        str | None, typer.Option(help="From then on: 30m, 2h, 7d, or 2026-11-30T12:00:00Z.")
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.TABLE
    ),
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
) -> None:
    """Print every refusal and decision with its rule, oldest first; secrets were masked when
    they were written."""
    flags = Flags(project_dir=project_dir, data_dir=data_dir, company=company, project=project)
    with options.reported():
        root = resolve_project_dir(flags, os.environ)
        start = _start(since, datetime.now(UTC)) if since else ""
        entries: Iterable[AuditEntry] = ()
        if database_file(root).exists():
            # Looking on makes no database.
            log = EventLog(Database(root))
            entries = read_audit(log, short_name(agent) if agent else None, start)
        shown = _json(entries) if output is Format.JSON else _table(entries)
        for part in shown:
            sys.stdout.buffer.write(part.encode())


def _start(since: str, now: datetime) -> str:
    """The time as events write it. Raises SettingsError."""
    if ago := _AGO.fullmatch(since):
        moment = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    else:
        try:
            moment = datetime.fromisoformat(since)
        except ValueError:
            raise SettingsError(
                f"--since: {since!r} is no time; write 30m, 2h, 7d or 2026-11-30T12:00:00Z"
            ) from None
        # A time without a zone is the reader's own.
        moment = moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _json(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """A list of records, one a line."""
    separator = "[\n"
    for entry in entries:
        known = {name: value for name, value in vars(entry).items() if value is not None}
        yield f"{separator}{orjson.dumps(known).decode()}"
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _table(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """A line each; what was refused is followed by the call and the reason."""
    known = list(entries)
    rows = [_COLUMNS, *(tuple(str(getattr(each, name)) for name in _COLUMNS) for each in known)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_COLUMNS))]
    for row, entry in zip(rows, [None, *known], strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip() + "\n"
        if entry is not None and entry.outcome == "refused":
            where = f"{entry.file}:{entry.line}" if entry.file else ""
            for text in (entry.subject, entry.reason, where):
                if text:
                    yield f"  {_visible(text)}\n"


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
