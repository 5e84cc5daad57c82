"""Reads what Vitest's default and verbose reporters show a person."""

import re
from dataclasses import dataclass, field

from devloop_tools.domain.reports.error_text import ErrorRead, read_error
from devloop_tools.domain.reports.lines import Lines
from devloop_tools.domain.reports.model import Format, Kind, Snapshots, SuiteKind
from devloop_tools.domain.reports.tally import MAX_LISTED, Tally

MAX_BLOCK = 2_000
"""Lines of one error that are kept."""

MAX_NAMES = 100
MAX_FILES = 10_000

_RUN = re.compile(r"^ *(?:RUN|DEV) +v(\d+\S*) (\S.*)$")
_FAIL = re.compile(r"^ FAIL  (?:\|[^|]+\| )?(?P<file>[^>\[]+?)(?: > (?P<name>.+)| \[ .+ \])?$")
_TRY = re.compile(r" \((?:initial run|\d+\w\w (?:retry|repeat))\)$")
_LENIENT_FAIL = re.compile(_FAIL.pattern.replace("^ FAIL  ", "^ ?FAIL +"))
_NEXT = re.compile(r"^⎯+(?:\[\d+/\d+\]⎯+)?$")
_SECTION = re.compile(r"^⎯+ (?P<title>[A-Z][\w ]+?)(?: \d+)? ⎯+$")
_FILE = re.compile(r"^ [❯✓×✗↓-] (?:\|[^|]+\| )?(?P<file>\S.*?) {1,3}\((?P<tests>\d+) tests?\b")
_TEST = re.compile(
    r"^ (?P<indent> *)(?P<mark>[✓✔×✗↓□❯]) (?:\|[^|]+\| )?(?P<name>.+?)"
    r"(?: \d+(?:\.\d+)?m?s)?(?: \(retry x(?P<retries>\d+)\))?(?: \d+ MB heap used)?$"
)
_SUMMARY = re.compile(r"^ *(?P<label>Test Files|Tests|Snapshots|Errors|Duration) {2,}(?P<text>.*)$")
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo|written|obsolete|updated|error)")
_TOTAL = re.compile(r"\((\d+)\)$")
_DURATION = re.compile(r"^(?:(\d+)m )?([\d.]+)(ms|s)\b")
_OBSOLETE = re.compile(r"^ +· (.+)$")
_ORIGIN = re.compile(r'^This error originated in "([^"]+)" test file')
_SIGNS = re.compile(r"^ +(?:Test Files|RUN  v\d|FAIL  )|^No test files found|^⎯+ Failed ", re.M)
_PREAMBLE = ("Vitest caught ", "This might cause false positive tests")
_NONE = "No test files found"


def is_console(text: str) -> bool:
    """Whether `text` has what Vitest shows in every run."""
    return _SIGNS.search(text) is not None


@dataclass
class _Block:
    """One error, with the tests that had it."""

    heads: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass
class _Failing:
    first: ErrorRead
    errors: int = 1


class ConsoleReport:
    """A reader that is fed text; a lenient one also takes what was copied without its margins."""

    def __init__(self, tally: Tally, *, lenient: bool = False) -> None:
        self.tally = tally
        self._fail = _LENIENT_FAIL if lenient else _FAIL
        self._lines = Lines()
        self._section = ""
        self._block: _Block | None = None
        self._errors: dict[tuple[str, str, bool], _Failing] = {}
        self._files: dict[str, int] = {}
        self._listed = {"✓": 0, "×": 0, "↓": 0, "□": 0}
        self._counts: dict[str, int] | None = None
        self._label = ""
        self._unhandled = 0
        self._snapshots: dict[str, int] = {}
        self._obsolete: list[str] = []
        self._ended = False

    def feed(self, text: str) -> None:
        for line in self._lines.feed(text):
            self._take(line)

    def close(self) -> None:
        for line in self._lines.close():
            self._take(line)
        if self._block is not None and not self._block.lines:
            self._block = None  # the text is cut behind a test's name, or within it
        self._end_block()
        self._report_errors()
        self._report_counts()
        self.tally.snapshots = Snapshots(
            written=self._snapshots.get("written", 0),
            mismatched=self._snapshots.get("failed", 0),
            obsolete=self._snapshots.get("obsolete", 0),
            obsolete_names=self._obsolete,
        )
        self.tally.truncated = not self._ended

    def _take(self, line: str) -> None:
        if match := self._fail.match(line):
            self._take_head(match)
        elif match := _SECTION.match(line):
            self._end_block()
            self._section, self._label = match["title"], ""
            if self._section.startswith("Un"):
                self._block = _Block()
        elif _NEXT.match(line):
            self._end_block()
        elif match := _SUMMARY.match(line):
            self._end_block()
            self._take_summary(match)
        elif self._block is not None:
            if len(self._block.lines) < MAX_BLOCK and not line.startswith(_PREAMBLE):
                self._block.lines.append(line)
        else:
            self._take_listed(line)

    def _take_head(self, match: re.Match[str]) -> None:
        if self._block is None or self._block.lines:
            self._end_block()
            self._block = _Block()
        self._block.heads.append((match["file"].strip(), _TRY.sub("", match["name"] or "")))

    def _take_listed(self, line: str) -> None:
        if match := _RUN.match(line):
            self.tally.tool, self.tally.places.root = "vitest", match[2].strip()
        elif match := _FILE.match(line):
            if len(self._files) < MAX_FILES:
                self._files[match["file"]] = int(match["tests"][:9])
        elif line.startswith(_NONE):
            self._ended = True
        elif self._label == "Snapshots" and (match := _OBSOLETE.match(line)):
            if len(self._obsolete) < MAX_NAMES:
                self._obsolete.append(match[1])
        elif self._label == "Snapshots" and _COUNT.search(line):
            self._add_snapshots(line)
        elif match := _TEST.match(line):
            self._take_test(match)

    def _take_test(self, match: re.Match[str]) -> None:
        mark = {"✔": "✓", "✗": "×", "❯": ""}.get(match["mark"], match["mark"])
        file, _, name = match["name"].partition(" > ")
        if mark and name:
            self._listed[mark] += 1
            if not match["indent"]:
                self.tally.format = Format.VERBOSE
        if mark == "✓" and match["retries"]:
            last = next(reversed(self._files), "")
            known, title = (file, name) if name and "." in file else (last, match["name"])
            self.tally.add_flaky(known, title, int(match["retries"][:9]))

    def _take_summary(self, match: re.Match[str]) -> None:
        self._label, text = match["label"], match["text"]
        counts = {word: int(number[:9]) for number, word in _COUNT.findall(text)}
        match self._label:
            case "Tests":
                total = _TOTAL.search(text)
                counts["total"] = int(total[1][:9]) if total else sum(counts.values())
                self._counts = counts
            case "Errors":
                self._unhandled = counts.get("error", 0)
            case "Snapshots":
                self._add_snapshots(text)
            case "Duration":
                self._ended = True
                if found := _DURATION.match(text):
                    scale = 1000 if found[3] == "s" else 1
                    minutes = int(found[1] or 0) * 60_000
                    self.tally.duration_ms = minutes + float(found[2]) * scale

    def _add_snapshots(self, text: str) -> None:
        for number, word in _COUNT.findall(text):
            self._snapshots[word] = int(number[:9])

    def _end_block(self) -> None:
        block, self._block = self._block, None
        if block is None or not (block.heads or any(map(str.strip, block.lines))):
            return
        of_suite = self._section.startswith("Failed Suites")
        keys = [(file, name, of_suite or not name) for file, name in block.heads]
        if (
            keys
            and len(self._errors) >= 2 * MAX_LISTED
            and not any(key in self._errors for key in keys)
        ):
            self.tally.leave_out(len(keys))
            return
        error = read_error("\n".join(block.lines))
        if not keys:
            origin = next((m[1] for line in block.lines if (m := _ORIGIN.match(line))), "")
            self.tally.add_unhandled(error, origin)
        for key in keys:
            if key in self._errors:
                self._errors[key].errors += 1
            else:
                self._errors[key] = _Failing(error)

    def _report_errors(self) -> None:
        for (file, name, of_suite), failing in self._errors.items():
            if not of_suite:
                self.tally.add_failure(file, name, failing.first, errors=failing.errors)
                continue
            kind = SuiteKind.HOOK if name or self._files.get(file) else SuiteKind.LOAD
            self.tally.add_suite_error(kind, file, name, failing.first)
        if self._unhandled and not self.tally.unhandled:
            missing = f"{self._unhandled} errors outside of tests, which the text doesn't show"
            self.tally.add_unhandled(ErrorRead(missing, Kind.ERROR))

    def _report_counts(self) -> None:
        """The runner's own counts where it came to them, else what was listed."""
        tally, counts = self.tally, self._counts
        if counts is None:
            listed = self._listed
            tally.passed, tally.skipped, tally.todo = listed["✓"], listed["↓"], listed["□"]
            tally.failed = max(tally.failed, listed["×"])
            return
        tally.passed, tally.todo = counts.get("passed", 0), counts.get("todo", 0)
        tally.failed = counts.get("failed", 0)
        ran = tally.passed + tally.todo + tally.failed
        tally.skipped = max(counts.get("skipped", 0), counts["total"] - ran)
