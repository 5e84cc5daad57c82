"""Holds quotes against the files as they are: there word for word, elsewhere, changed, or gone."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.bugs.records import Evidence
from devloop_tools.domain.evidence.lines import lines_of_file
from devloop_tools.domain.outcome import Done
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

SHORTEST_PART = 8
"""Characters that a part of a line must have to be known elsewhere."""

_NEAR = 25
_ALIKE = 0.6
_SHOWN = 500


class Standing(StrEnum):
    """How a quote stands."""

    EXACT = "exact"
    MOVED = "moved"
    CHANGED = "changed"
    MISSING = "missing"


class Verdict(BaseModel):
    """`line` is where the quote stands (or what became of it) today, `now` what stands there."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    verdict: Standing
    line: int | None = None
    now: str | None = None
    reason: str | None = None


class EvidenceVerified(Done):
    """`verified`: every quote is exact or moved."""

    verified: bool
    verdicts: list[Verdict]


@dataclass(slots=True)
class _Search:
    """One quote while the lines of its file go by."""

    item: Evidence
    wanted: list[str]
    window: deque[str] = field(default_factory=deque)
    is_exact: bool = False
    whole: int | None = None
    part: int | None = None
    there: list[str] = field(default_factory=list)
    alike: tuple[float, int, str] = (0.0, 0, "")

    def look(self, number: int, text: str, plain: str) -> None:
        """Compare the quote with the lines that end with this one."""
        if self.item.line <= number < self.item.line + len(self.wanted):
            self.there.append(text.strip())
        if abs(number - self.item.line) <= _NEAR:
            self._weigh(number, plain, text)
        if len(self.wanted) == 1:
            if self.wanted[0] in plain:
                self._found(number, is_whole=self.wanted[0] == plain)
            return
        self.window.append(plain)
        if len(self.window) > len(self.wanted):
            self.window.popleft()
        if len(self.window) == len(self.wanted) and self._is_part():
            start = number - len(self.wanted) + 1
            self._found(start, is_whole=list(self.window) == self.wanted)

    def _found(self, start: int, *, is_whole: bool) -> None:
        self.is_exact = self.is_exact or start == self.item.line
        if is_whole:
            self.whole = self._nearer(self.whole, start)
        elif sum(map(len, self.wanted)) >= SHORTEST_PART:
            self.part = self._nearer(self.part, start)

    def _is_part(self) -> bool:
        """Whether the window holds the quote, which may start and end inside a line."""
        first, *middle, last = self.wanted
        if not (self.window[0].endswith(first) and self.window[-1].startswith(last)):
            return False
        return list(self.window)[1:-1] == middle

    def _nearer(self, known: int | None, start: int) -> int:
        if known is None or abs(start - self.item.line) < abs(known - self.item.line):
            return start
        return known

    def _weigh(self, number: int, plain: str, text: str) -> None:
        compared = SequenceMatcher(None, self.wanted[0][:300], plain[:300], autojunk=False)
        if compared.real_quick_ratio() > max(self.alike[0], _ALIKE):
            ratio = compared.ratio()
            if ratio > max(self.alike[0], _ALIKE):
                self.alike = (ratio, number, text.strip())

    def verdict(self) -> Verdict:
        """What is to be said when the file has ended."""
        path, line = self.item.path, self.item.line
        if self.is_exact:
            return Verdict(path=path, verdict=Standing.EXACT, line=line)
        found = self.whole if self.whole is not None else self.part
        if found is not None:
            return Verdict(path=path, verdict=Standing.MOVED, line=found)
        if self.alike[1]:
            _, line, now = self.alike
            return Verdict(path=path, verdict=Standing.CHANGED, line=line, now=now[:_SHOWN])
        if self.there:
            now = "\n".join(self.there)[:_SHOWN]
            return Verdict(path=path, verdict=Standing.CHANGED, line=line, now=now)
        reason = f"The file has fewer than {line} lines, and the quote is nowhere in it."
        return Verdict(path=path, verdict=Standing.MISSING, reason=reason)


def verify(workspace: Workspace, evidence: Sequence[Evidence]) -> EvidenceVerified:
    """A verdict on each quote, in their order.

    White space doesn't count, and a part of a line will do.

    Raises ToolSandboxError where the agent may not read a file.
    """
    searches = [_Search(item, _wanted(item.quote)) for item in evidence]
    verdicts: dict[int, Verdict] = {}
    for path in dict.fromkeys(item.path for item in evidence):
        places = [place for place, item in enumerate(evidence) if item.path == path]
        gone = _pass(workspace, path, [searches[place] for place in places])
        for place in places:
            verdicts[place] = gone or searches[place].verdict()
    ordered = [verdicts[place] for place in range(len(evidence))]
    good = all(item.verdict in (Standing.EXACT, Standing.MOVED) for item in ordered)
    return EvidenceVerified(verified=good, verdicts=ordered)


def _pass(workspace: Workspace, path: str, searches: Sequence[_Search]) -> Verdict | None:
    """Read the file once for all its quotes; the verdict on all of them if it can't be read."""
    try:
        for line in lines_of_file(workspace, path):
            plain = _plain(line.text)
            for search in searches:
                search.look(line.number, line.text, plain)
    except ExpectedFailure as exc:
        reason = exc.reason.removeprefix("path: ")
        return Verdict(path=path, verdict=Standing.MISSING, reason=reason)
    return None


def _wanted(quote: str) -> list[str]:
    lines = [_plain(line) for line in quote.strip("\n").split("\n")]
    return lines if any(lines) else [""]


def _plain(text: str) -> str:
    return " ".join(text.split())
