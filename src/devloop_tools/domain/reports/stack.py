"""Places in code, as Node, Vitest, Jest, CPython and pytest write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

MAX_FRAMES = 30
MAX_LINE = 2_000

_PLACE = r"(?:file://)?(?P<file>[^()\s][^()]*?):(?P<line>\d+)(?::(?P<column>\d+))?"
_NODE = re.compile(rf"^\s*at (?:async )?(?:(?P<function>[^()]{{1,300}}) \()?{_PLACE}\)?$")
_VITEST = re.compile(
    rf"^\s*❯ (?:(?P<function>(?:new |async )?[^\s/:]{{1,300}}(?: \[as [^\]]+\])?) )?{_PLACE}$"
)
_PYTHON = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>\S+))?')
_PYTEST = re.compile(r"^(?P<file>[^\s:<>]+\.py):(?P<line>\d+): (?P<function>)(?:in |[A-Z]\w*|$)")
_DEFINED = re.compile(r"^[> ]*(?:async )?def (\w+)\(")
_FOREIGN = (
    "node_modules/", "node:", "internal/", "site-packages/", "/python/lib/", "/lib/python",
    "<frozen", "<anonymous", "native ",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a stack; `own` is false in packages and in the language's own files."""

    file: str
    line: int
    column: int | None = None
    function: str = ""
    own: bool = True

    def __str__(self) -> str:
        """As Node writes it."""
        column = "" if self.column is None else f":{self.column}"
        place = f"{self.file}:{self.line}{column}"
        return f"at {self.function} ({place})" if self.function else f"at {place}"


def frames_in(text: str) -> list[Frame]:
    """The places of a stack trace, innermost first; Python's, which end there, are turned."""
    found: list[Frame] = []
    defined, turned = "", False
    for line in text.splitlines():
        if match := _DEFINED.match(line):
            defined = match[1]
        frame = frame_of(line.removeprefix("E   "))
        if frame is None:
            continue
        if _PYTEST.match(line):
            frame, defined = replace(frame, function=defined), ""
        turned = turned or frame.file.endswith(".py")
        if frame not in found:
            found.append(frame)
        if len(found) == 4 * MAX_FRAMES:
            break
    return found[::-1] if turned else found


def frame_of(line: str) -> Frame | None:
    """The place that a line of a stack trace names, if it is one."""
    if len(line) > MAX_LINE:
        return None
    for pattern in _patterns(line):
        if match := pattern.match(line):
            fields = match.groupdict()
            file = fields["file"]
            column = fields.get("column")
            return Frame(
                file=file,
                line=int(fields["line"][:9]),
                column=int(column[:9]) if column else None,
                function=(fields.get("function") or "").strip(),
                own=not any(mark in file for mark in _FOREIGN),
            )
    return None


def own_first(frames: list[Frame]) -> list[Frame]:
    """The project's own frames before the others, each in their order, bounded."""
    return sorted(frames, key=lambda frame: not frame.own)[:MAX_FRAMES]


def _patterns(line: str) -> Iterator[re.Pattern[str]]:
    if "at " in line:
        yield _NODE
    if "❯" in line:
        yield _VITEST
    if 'File "' in line:
        yield _PYTHON
    if ".py:" in line:
        yield _PYTEST
