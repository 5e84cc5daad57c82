"""By what two reports are the same bug.

The same title, place, expectation and outcome. The title is compared without case and punctuation;
the place is the unit and the first quoted file (not the line, which moves). What changes from run
to run counts as one: UUIDs, addresses, digests, dates with their times, line numbers, temporary
folders and ports, and durations and times of day but for expected ones. Other numbers count: 404
is not 500.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from devloop_tools.domain.bugs.records import Report

_Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(patterns: Iterable[tuple[str, str]]) -> _Rules:
    return tuple((re.compile(pattern, re.IGNORECASE), name) for pattern, name in patterns)


_STEADY = _rules(
    (
        (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
        (
            r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
            "<time>",
        ),
        (r"\b0x[0-9a-f]+\b", "<address>"),
        (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b", "<digest>"),
        (r"/(?:tmp|var/folders)/[^\s'\":,)]+", "<temporary>"),
        (r"\b(localhost|127\.0\.0\.1):\d{2,5}\b", r"\1:<port>"),
        (r"(\.[a-z]{1,4}):\d+(?::\d+)?\b", r"\1:<line>"),
        (r"\b(line )\d+\b", r"\1<line>"),
        (r"第 ?\d+ ?行", "<line>"),
    )
)
_PORTS = _rules(
    (
        (r"(\b0\.0\.0\.0|\[::1?\]|::1?):\d{2,5}\b", r"\1:<port>"),
        (r"(\bports?|端口号?)( ?[:=#]? ?)\d{2,5}(?!\d)", r"\1\2<port>"),
    )
)
"""Ports that are told in words, or of any address of this machine."""

_DURATION = _rules(
    (
        (
            r"(?<![\w.])\d+(?:\.\d+)? ?(?:ms|us|μs|s|secs?|seconds?|毫秒|秒)(?![a-z])",
            "<duration>",
        ),
    )
)
_OF_DAY = _rules(
    (
        (
            r"(?<![a-z0-9.:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[ap]m|z)?"
            r"(?![a-z0-9:])",
            "<time>",
        ),
    )
)
_NO_WORD = re.compile(r"[\W_]+")
_BLANKS = re.compile(r"\s+")


def fingerprints(report: Report) -> tuple[str, str]:
    """`sha256:` and a digest, the same for reports of the same bug: as written today, and before.

    Projects hold bugs that were written when ports in words and times of day still counted.
    """
    return (
        _digest(report, (*_STEADY, *_PORTS), (*_DURATION, *_OF_DAY)),
        _digest(report, _STEADY, _DURATION),
    )


def _digest(report: Report, steady: _Rules, unless_expected: _Rules) -> str:
    place = report.evidence[0].path.removeprefix("./") if report.evidence else ""
    title = _without(_without(report.title, steady), unless_expected).casefold()
    parts = (
        _NO_WORD.sub(" ", title).strip(),
        unicodedata.normalize("NFC", report.unit_id or ""),
        unicodedata.normalize("NFC", place),
        _without(report.expected, steady),
        _without(_without(report.actual, steady), unless_expected),
    )
    return "sha256:" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def _without(text: str, rules: _Rules) -> str:
    """The text without what changes from run to run, in one Unicode form, on one line."""
    text = unicodedata.normalize("NFKC", text)
    for pattern, name in rules:
        text = pattern.sub(name, text)
    return _BLANKS.sub(" ", text).strip(" .。!")
