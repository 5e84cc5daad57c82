"""Takes secrets out of what a process wrote: by their values where known, else by their form."""

import re
from collections.abc import Iterable, Mapping

MASK = "•••"
MIN_SECRET = 6
"""Shorter values are words that stand everywhere."""

_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|pwd|credential|auth|cookie|session|dsn")
_WORDS = r"api[_-]?key|token|secret|passw(?:or)?d|pwd|credential|private[_-]?key"
_NAME = rf"[\w.-]{{0,40}}(?:{_WORDS})[\w.-]{{0,40}}"
_PATTERNS = (
    # name = value, name: value, "name": "value"; the name stays
    re.compile(rf"(?i)(?P<keep>\b{_NAME}[\"']?\s*[:=]\s*[\"']?)(?P<value>[^\s\"',;&}}{{\]]{{3,}})"),
    re.compile(r"(?i)(?P<keep>\b(?:bearer|basic|token)\s+)(?P<value>[A-Za-z0-9+/=._~-]{8,})"),
    re.compile(r"(?i)(?P<keep>\b(?:set-)?cookie:\s*[^=\s]+=)(?P<value>[^;\s]+)"),
    # the password of curl -u user:password
    re.compile(
        r"(?P<keep>(?:^|\s)(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:)(?P<value>[^\s\"']{3,})"
    ),
    # the password of user:password@host
    re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]*:)(?P<value>[^\s@/]+)(?=@)"),
    re.compile(
        r"(?P<keep>)(?P<value>\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"
        r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
        r"|\bxox[abposr]-[\w-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}"
        r"|\bey[A-Za-z0-9_-]{8,}\.ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"
    ),
)
_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_ENDS = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")


def secrets_of(env: Mapping[str, str]) -> list[str]:
    """Values of variables whose name says that they are secret, the longest first."""
    values = {
        value
        for name, value in env.items()
        if _SECRET_NAME.search(name) and len(value) >= MIN_SECRET
    }
    return sorted(values, key=len, reverse=True)


def masked_text(text: str) -> str:
    """A text without what looks like a secret."""
    return "\n".join(masked(text.split("\n"), ())[0])


def masked(lines: Iterable[str], secrets: Iterable[str]) -> tuple[list[str], int]:
    """The lines without secrets, and how many were taken out."""
    known = list(secrets)
    out: list[str] = []
    count, in_key = 0, False
    for line in lines:
        if in_key:
            in_key = not _KEY_ENDS.search(line)
            continue
        if _KEY_BEGINS.search(line):
            in_key = not _KEY_ENDS.search(line)
            out.append(f"{MASK} (a private key)")
            count += 1
            continue
        text, found = _without(line, known)
        out.append(text)
        count += found
    return out, count


def _without(line: str, secrets: list[str]) -> tuple[str, int]:
    count = 0
    for secret in secrets:
        count += line.count(secret)
        line = line.replace(secret, MASK)
    for pattern in _PATTERNS:
        line, found = pattern.subn(_kept, line)
        count += found
    return line, count


def _kept(match: re.Match[str]) -> str:
    return match["keep"] + MASK
