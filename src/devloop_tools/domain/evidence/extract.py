"""Evidence out of a bug, a file or a text: quotes with file and line that anybody can look up."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.bugs.records import MAX_QUOTE, Bug
from devloop_tools.domain.evidence.errors import ErrorLines
from devloop_tools.domain.evidence.frames import FrameReader
from devloop_tools.domain.evidence.languages import UnreadTraces
from devloop_tools.domain.evidence.lines import Line, lines_of_file, lines_of_text
from devloop_tools.domain.evidence.located import Locator
from devloop_tools.domain.evidence.passages import contract_passages
from devloop_tools.domain.evidence.places import Frame, Source
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.errors import ExpectedFailure, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

MAX_QUOTES = 40
READ_OF_LOG = 32 * 1024 * 1024
"""Bytes of a file; of a larger one the end is read."""

_MOST_PLACES = 400
"""Different places that are looked at; a log may name many."""


class Quote(BaseModel):
    """`in_project`: the file is there today, and `quote` is its line unless the text showed it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    line: int
    quote: str
    source: Source
    function: str | None = None
    in_project: bool = True
    count: int = 1


class Unread(BaseModel):
    """A stack trace of a language that is not read, from `line` of the text on."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    language: str
    line: int
    text: str


class EvidenceExtracted(Done):
    """`evidence` in the order of the text, files of the project first; `outside` counts others."""

    evidence: list[Quote]
    errors: list[str]
    outside: int = 0
    unread: list[Unread] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


@dataclass(slots=True)
class _Reading:
    """What one pass over the lines has found."""

    places: dict[tuple[str, int], Quote] = field(default_factory=dict)
    outside: int = 0
    first: int | None = None
    cut: int | None = None


class Extractor:
    """Reads evidence for one call."""

    def __init__(self, workspace: Workspace, unit_id: str | None) -> None:
        self._workspace = workspace
        self._unit_id = unit_id
        self._locator = Locator(workspace, unit_id)
        self._sources: dict[str, dict[int, str]] = {}

    def from_text(self, text: str) -> EvidenceExtracted | Refused:
        """What a text points at."""
        return self._read(lines_of_text(text), "text", None)

    def from_file(self, path: str) -> EvidenceExtracted | Refused:
        """What a log or a report points at, and its own lines that tell of an error.

        Raises ExpectedFailure, ToolSandboxError as `lines_of_file`.
        """
        return self._read(lines_of_file(self._workspace, path, READ_OF_LOG), f"path: {path}", path)

    def from_bug(self, bug: Bug) -> EvidenceExtracted | Refused:
        """What a bug's texts point at, its own evidence first, and what its contract says of it."""
        text = "\n".join((bug.title, bug.expected, bug.actual, bug.steps or ""))
        found = self._read(lines_of_text(text), bug.id, None)
        given = [
            Quote(path=item.path, line=item.line, quote=item.quote, source=Source.LOG)
            for item in bug.evidence
        ]
        passages = [
            Quote(path=path, line=line, quote=quote, source=Source.CONTRACT)
            for path, line, quote in contract_passages(self._workspace, self._unit_id, text)
        ]
        if isinstance(found, Refused):
            if not given and not passages:
                return found
            found = EvidenceExtracted(evidence=[], errors=[])
        quotes = {(q.path, q.line): q for q in (*passages, *found.evidence, *given)}
        ordered = {(q.path, q.line): quotes[q.path, q.line]
                   for q in (*given, *found.evidence, *passages)}  # fmt: skip
        return found.model_copy(update={"evidence": list(ordered.values())[:MAX_QUOTES]})

    def _read(
        self, lines: Iterable[Line], name: str, log: str | None
    ) -> EvidenceExtracted | Refused:
        reading, traces, failures = _Reading(), UnreadTraces(), ErrorLines()
        watched = failures.watch(traces.watch(_noting(lines, reading)))
        for frame in FrameReader().read(watched):
            self._keep(reading, frame)
        quotes = self._quoted(reading)
        if log is not None:
            quotes += [
                Quote(path=log, line=line.number, quote=line.text.strip()[:MAX_QUOTE],
                      source=Source.LOG, count=count)
                for line, count in failures.first_lines()
            ]  # fmt: skip
        unread = [
            Unread(language=trace.language, line=trace.line, text=trace.text)
            for trace in traces.found()
        ]
        if not quotes:
            return _nothing(name, reading, unread)
        return EvidenceExtracted(
            evidence=quotes[:MAX_QUOTES],
            errors=failures.messages(),
            outside=reading.outside,
            unread=unread,
            notes=list(_notes(reading, len(quotes))),
        )

    def _keep(self, reading: _Reading, frame: Frame) -> None:
        located = self._locator.locate(frame.path) if frame.line else None
        if located is None:
            reading.outside += 1
            return
        path, is_there = located
        known = reading.places.get((path, frame.line))
        if known is not None:
            quote = known.quote or frame.quote or ""
            update = {"count": known.count + 1, "quote": quote}
            reading.places[path, frame.line] = known.model_copy(update=update)
        elif len(reading.places) < _MOST_PLACES:
            reading.places[path, frame.line] = Quote(
                path=path, line=frame.line, quote=(frame.quote or "")[:MAX_QUOTE],
                source=frame.source, function=frame.function, in_project=is_there,
            )  # fmt: skip

    def _quoted(self, reading: _Reading) -> list[Quote]:
        """Every place with its quote, those of files that are there first."""
        places = sorted(reading.places.values(), key=lambda quote: not quote.in_project)
        self._load(places)
        quoted = []
        for place in places:
            text = place.quote or self._sources.get(place.path, {}).get(place.line, "")
            if text:
                quoted.append(place.model_copy(update={"quote": text[:MAX_QUOTE]}))
            elif not place.in_project:
                shown = f"{place.function or 'line'} at {place.path}:{place.line}"
                quoted.append(place.model_copy(update={"quote": shown}))
        return quoted

    def _load(self, places: Sequence[Quote]) -> None:
        """Read the lines that places name, each file once and not beyond the last of them."""
        wanted: dict[str, set[int]] = {}
        for place in places:
            if place.in_project and not place.quote:
                wanted.setdefault(place.path, set()).add(place.line)
        for path, numbers in wanted.items():
            try:
                lines = islice(lines_of_file(self._workspace, path), max(numbers))
                found = {line.number: line.text.strip() for line in lines if line.number in numbers}
            except (ExpectedFailure, ToolSandboxError):
                continue
            self._sources[path] = found


def _noting(lines: Iterable[Line], reading: _Reading) -> Iterator[Line]:
    for line in lines:
        if reading.first is None:
            reading.first = line.number
        if line.is_cut and reading.cut is None:
            reading.cut = line.number
        yield line


def _notes(reading: _Reading, found: int) -> Iterator[str]:
    if reading.first is not None and reading.first > 1:
        yield f"The file is large; it was read from line {reading.first} on."
    if reading.cut is not None:
        yield f"Line {reading.cut} is too long; of such lines only the head was read."
    if found > MAX_QUOTES:
        yield f"{found} places were found; these are the first {MAX_QUOTES}."


def _nothing(name: str, reading: _Reading, unread: Sequence[Unread]) -> Refused:
    if unread:
        trace = unread[0]
        return refused(
            f"{name}: line {trace.line} looks like a stack trace of {trace.language}, which is not"
            f" read: {trace.text[:120]}",
            "Read are traces of V8, CPython, Vitest and pytest, and messages of tsc. Give path,"
            " line and quote to bug_open yourself.",
        )
    if reading.outside:
        return refused(
            f"{name}: its {reading.outside} places are all in libraries or in the runtime",
            "Look for a longer trace, one that goes through the project's own files.",
        )
    tail = ""
    if reading.first is None:
        tail = " It is empty, or its end is one line without an end."
    elif reading.cut is not None:
        tail = " Its lines are too long to be a trace."
    return refused(
        f"{name}: there is no stack trace and no file with a line in it.{tail}",
        "Give a text that holds one: src/a.ts:12, line 12 of a.py, or a trace.",
    )
