"""The text of one error: what was expected, what came, and where."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from devloop_tools.domain.reports.model import Kind
from devloop_tools.domain.reports.plain_text import MAX_TEXT, plain, shortened
from devloop_tools.domain.reports.stack import Frame, frame_of, frames_in, own_first

MAX_ERROR = 50_000
"""Characters of one error's text that are read."""

_DIFF = re.compile(r"^- Expected(?: +- \d+)?\n\+ Received(?: +\+ \d+)?\n", re.MULTILINE)
_PAIR = re.compile(
    r"^Expected(?: \w+)?: (?P<expected>.*(?:\n(?!Received|\n).*){0,200})\n+"
    r"Received(?: \w+)?: (?P<actual>.*)",
    re.MULTILINE,
)
_BLOCKS = re.compile(
    r"^- Expected: *\n(?P<expected>.{0,3000}?)\n+\+ Received: *\n(?P<actual>.{0,3000}?)(?:\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_EXPECTED = re.compile(
    r"^(?:\w*Error: )?(?:.{0,200}?: )?expected (?P<actual>.+?) (?P<no>not )?to (?P<verb>"
    r"be (?:greater|less) than(?: or equal to)?|be close to|be an? (?:instance of )?|deeply equal|"
    r"strictly equal|loosely deep-equal|match object|have (?:property|a length of)|equal|"
    r"include|contain|match|be) (?P<expected>.+?)(?: // [\w. ]+)?$",
    re.DOTALL,
)
_ASSERTED = re.compile(
    r"assert (?P<actual>.+?) (?P<verb>==|!=|<=|>=|<|>|not in|in|is not|is) (?P<expected>.+?)$",
    re.MULTILINE,
)
_NOT_RAISED = re.compile(r"DID NOT RAISE(?: any of)? (?:<class '(?:\w+\.)*(\w+)'>|(.+))")
_PLAIN_VERBS = frozenset(
    ("be", "equal", "deeply equal", "strictly equal", "match object", "==", "is")
)
_SAY_NOTHING = frozenset(("Error", "AssertionError", "Unknown Error"))
_LOST_TIMEOUT = "STACK_TRACE_ERROR"
"""What the JSON of Vitest 3 and 4 says of a test that timed out, in place of the message."""
_NO_NAME = re.compile(r"^(?:AssertionError|(?:Unknown )?Error): ")
_PYTEST_LINE = re.compile(r"^E( {3}.*|)$", re.MULTILINE)
_SNAPSHOT = re.compile(
    r"Snapshot `[^`]*` mismatched|toMatch(?:Inline)?Snapshot|toMatchFileSnapshot"
)
_TIMEOUT = re.compile(
    r"(?:timed out in|Exceeded timeout of) \d+ ?ms|\bTest timed out\b|\bTimeout >\d"
)
_TIMED_OUT = "Test timed out (this format leaves out after how long)"
_ASSERTION = re.compile(
    r"AssertionError|^(?:: )?expected .+ to |expect\(|^assert |DID NOT RAISE", re.DOTALL
)
_CODE = re.compile(r"^ +(?:> *)?\d* \|")
_QUOTED = re.compile(r"""^(["'])(.*)\1$""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ErrorRead:
    """One error. `stack` has all frames, own ones first."""

    message: str
    kind: Kind
    expected: str | None = None
    actual: str | None = None
    diff: str = ""
    stack: list[Frame] = field(default_factory=list)


def read_error(text: str, message: str = "", name: str = "") -> ErrorRead:
    """What an error's text says; `name` and `message` are told apart from it by some reporters."""
    text = plain(shortened(text, MAX_ERROR)).strip("\n")
    told = _pytest_message(text) or _message(text) or plain(message).strip()
    told = told.replace(_LOST_TIMEOUT, _TIMED_OUT) if told.endswith(_LOST_TIMEOUT) else told
    expected, actual, diff = _values(text, told)
    return ErrorRead(
        message=shortened(named(name, told)),
        kind=_kind(f"{name}: {told}"),
        expected=expected if expected is None else shortened(expected),
        actual=actual if actual is None else shortened(actual),
        diff=shortened(diff),
        stack=own_first(frames_in(text.partition("\nCaused by: ")[0])),
    )


def named(name: str, message: str) -> str:
    """The message with the error's class before it, unless that says nothing."""
    if name and name not in _SAY_NOTHING and not message.startswith(name):
        return f"{name}: {message}"
    return _NO_NAME.sub("", message, count=1)


def expected_and_actual(expected: str, actual: str) -> tuple[str, str]:
    """Both without the quotes around them, unless these are all that they differ in."""
    bare = _bare(expected), _bare(actual)
    return (expected, actual) if bare[0] == bare[1] else bare


def _bare(value: str) -> str:
    value = value.strip()
    if match := _QUOTED.match(value):
        return match[2].replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
    return value


def _pytest_message(text: str) -> str:
    """The lines that pytest marks with E; of a syntax error the last one says what it is."""
    lines = [line.removeprefix("   ").rstrip() for line in _PYTEST_LINE.findall(text)]
    if lines and lines[0].strip().startswith('File "'):
        lines = lines[-1:]
    return "\n".join(line.strip() if at == 0 else line for at, line in enumerate(lines)).strip()


def _message(text: str) -> str:
    """What stands before the diff and the stack."""
    return "\n".join(_message_lines(text)).strip()


def _message_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith(("- Expected", "+ Received", "Expected:", "⎯⎯", "Serialized Error:")):
            return
        if line.startswith("Caused by: ") or _CODE.match(line) or frame_of(line):
            return
        if not line.startswith("  ● "):
            yield line.removeprefix("    ")


def _values(text: str, message: str) -> tuple[str | None, str | None, str]:
    if match := _DIFF.search(text):
        diff = _diff_lines(text[match.end() :])
        sides = ["\n".join(line[2:] for line in diff if line[:1] in (mark, " ", ""))
                 for mark in "-+"]  # fmt: skip
        return (*expected_and_actual(sides[0].strip("\n"), sides[1].strip("\n")), "\n".join(diff))
    if match := _BLOCKS.search(text) or _PAIR.search(text):
        expected, actual = match["expected"].strip(), match["actual"].strip()
        return (*expected_and_actual(expected, actual), f"- {expected}\n+ {actual}")
    if match := _NOT_RAISED.search(message):
        return match[1] or match[2], "nothing was raised", ""
    if match := _EXPECTED.match(message[:MAX_TEXT]) or _ASSERTED.search(message[:MAX_TEXT]):
        return (*_stated(match), "")
    return None, None, ""


def _stated(match: re.Match[str]) -> tuple[str, str]:
    """The values of a sentence such as `expected 6 to be 7` or `assert 6 == 7`."""
    fields = match.groupdict()
    expected, actual = expected_and_actual(fields["expected"], fields["actual"])
    verb = fields["verb"].strip()
    verb = verb if verb in _PLAIN_VERBS else verb.removeprefix("be ")
    words = [] if verb in _PLAIN_VERBS else [verb]
    return " ".join([*(["not"] if fields.get("no") else []), *words, expected]), actual


def _diff_lines(text: str) -> list[str]:
    kept: list[str] = []
    for line in text.splitlines():
        if frame_of(line) or line.startswith(("⎯⎯", "Caused by: ", "Serialized Error:")):
            break
        if not line.startswith("@@ "):
            kept.append(line)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept[next((at for at, line in enumerate(kept) if line.strip()), 0) :]


def _kind(message: str) -> Kind:
    if _SNAPSHOT.search(message):
        return Kind.SNAPSHOT
    if _TIMEOUT.search(message):
        return Kind.TIMEOUT
    return Kind.ASSERTION if _ASSERTION.search(message) else Kind.ERROR
