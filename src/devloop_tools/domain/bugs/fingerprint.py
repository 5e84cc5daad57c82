"""By what two reports are the same bug.

The same title, place, expectation and outcome. The title is compared without case and punctuation;
the place is the unit and the first quoted file (not the line, which moves). What changes from run
to run counts as one: UUIDs, addresses, digests, times, line numbers, temporary folders and loopback
ports, and durations but for expected ones. Other numbers count: 404 is not 500.
"""

import hashlib
import re
import unicodedata

from devloop_tools.domain.bugs.records import Report

_VOLATILE = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
    (r"\b0x[0-9a-f]+\b", "<address>"),
    (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b", "<digest>"),
    (r"/(?:tmp|var/folders)/[^\s'\":,)]+", "<temporary>"),
    (r"\b(localhost|127\.0\.0\.1):\d{2,5}\b", r"\1:<port>"),
    (r"(\.[a-z]{1,4}):\d+(?::\d+)?\b", r"\1:<line>"),
    (r"\b(line )\d+\b", r"\1<line>"),
    (r"第 ?\d+ ?行", "<line>"),
)
_STEADY = tuple((re.compile(pattern, re.IGNORECASE), name) for pattern, name in _VOLATILE)
_DURATION = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)? ?(?:ms|us|μs|s|secs?|seconds?|毫秒|秒)(?![a-z])", re.IGNORECASE
)
_NO_WORD = re.compile(r"[\W_]+")
_BLANKS = re.compile(r"\s+")


def fingerprint(report: Report) -> str:
    """`sha256:` and a digest, the same for reports of the same bug."""
    place = report.evidence[0].path.removeprefix("./") if report.evidence else ""
    title = _DURATION.sub("<duration>", _steady(report.title)).casefold()
    parts = (
        _NO_WORD.sub(" ", title).strip(),
        unicodedata.normalize("NFC", report.unit_id or ""),
        unicodedata.normalize("NFC", place),
        _steady(report.expected),
        _DURATION.sub("<duration>", _steady(report.actual)),
    )
    return "sha256:" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def _steady(text: str) -> str:
    """The text without what changes from run to run, in one Unicode form, on one line."""
    text = unicodedata.normalize("NFKC", text)
    for pattern, name in _STEADY:
        text = pattern.sub(name, text)
    return _BLANKS.sub(" ", text).strip(" .。!")
