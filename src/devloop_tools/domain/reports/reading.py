"""A report from a text or a file: which format it is in, what it says, and the verdict."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from devloop_tools.domain.reports.console_report import ConsoleReport, is_console
from devloop_tools.domain.reports.json_report import (
    JsonReport,
    end_of_object,
    start_of_report,
)
from devloop_tools.domain.reports.junit_report import JunitReport, start_of_xml
from devloop_tools.domain.reports.model import Format, ReportParsed
from devloop_tools.domain.reports.places import Places
from devloop_tools.domain.reports.sources import Source, pieces
from devloop_tools.domain.reports.tally import Tally
from devloop_tools.domain.reports.tap_report import TapReport, is_tap
from devloop_tools.domain.reports.verdict import add_reasons_from, report_of
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

HEAD = 4 * 1024 * 1024
"""Characters in which the start of a report is looked for; a report this short is read at once."""

_WRITTEN_TO = re.compile(r"(?:JSON|JUNIT) report written to (.+?)\s*$", re.MULTILINE)

Report = Callable[[float], None]
"""Is told how many characters have been read."""


class Reader(Protocol):
    """Reads one format."""

    def feed(self, text: str) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Found:
    """The format, and the text without what stands before and after the report."""

    format: Format
    text: str
    around: str = ""


def read_report(
    workspace: Workspace,
    source: Source,
    wanted: Format,
    exit_code: int | None,
    progress: Report = lambda characters: None,
) -> ReportParsed:
    """The report in `source`. Raises ExpectedFailure where there is none that can be read."""
    with source.opened() as stream:
        parts = pieces(stream, source.name)
        head = _head(parts)
        found = _find(head, wanted)
        if found is None:
            if elsewhere := _written_elsewhere(workspace, head):
                return read_report(workspace, elsewhere, wanted, exit_code, progress)
            raise _no_report(source.name, head, wanted)
        tally = Tally(Places(workspace), found.format)
        reader = _reader(tally)
        read = 0
        for text in chain([found.text], parts):
            reader.feed(text)
            read += len(text)
            progress(read)
        reader.close()
    if found.around:
        add_reasons_from(tally, found.around)
    return report_of(tally, exit_code)


def _head(parts: Iterator[str]) -> str:
    kept: list[str] = []
    size = 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size >= HEAD:
            break
    return "".join(kept)


def _find(head: str, wanted: Format) -> _Found | None:
    if wanted is Format.AUTO:
        each = (Format.JSON, Format.JUNIT, Format.TAP, Format.DEFAULT)
        return next((found for one in each if (found := _find(head, one))), None)
    match wanted:
        case Format.JSON:
            return _find_json(head)
        case Format.JUNIT:
            return _find_xml(head)
        case Format.TAP:
            return _Found(Format.TAP, head) if is_tap(head) else None
        case _:
            return _Found(Format.DEFAULT, head) if is_console(head) else None


def _find_json(head: str) -> _Found | None:
    start = start_of_report(head)
    if start is None:
        return None
    end = end_of_object(head, start)
    around = head[:start] if end is None else f"{head[:start]}\n{head[end:]}"
    return _Found(Format.JSON, head[start:end], around)


def _find_xml(head: str) -> _Found | None:
    start = start_of_xml(head)
    return None if start is None else _Found(Format.JUNIT, head[start:], head[:start])


def _reader(tally: Tally) -> Reader:
    match tally.format:
        case Format.JSON:
            return JsonReport(tally)
        case Format.JUNIT:
            return JunitReport(tally)
        case Format.TAP:
            return TapReport(tally)
        case _:
            return ConsoleReport(tally)


def _written_elsewhere(workspace: Workspace, head: str) -> Source | None:
    """Vitest 5 writes a file and says only where."""
    match = _WRITTEN_TO.search(head)
    if match is None:
        return None
    path = Places(workspace).relative(match[1])
    if path.startswith("/"):
        raise ExpectedFailure(
            f"the text says only that the report was written to {path}, which is not in the "
            "project.",
            "Run the tests with --outputFile=FILE inside the project, and name that file.",
        )
    return Source(path, workspace.readable(path))


def _no_report(name: str, head: str, wanted: Format) -> ExpectedFailure:
    what = "no report" if wanted is Format.AUTO else f"no report in the format {wanted}"
    first = " ".join(head[:2000].split())[:80]
    begins = f" It begins: {first}" if first else " It is empty: was no test file found?"
    return ExpectedFailure(
        f"{name}: {what} of Vitest, Jest or pytest was found.{begins}",
        "Run the tests with --reporter=json --outputFile=FILE (pytest: --junitxml=FILE) and name "
        "that file.",
    )
