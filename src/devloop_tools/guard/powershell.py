"""Bodies in PowerShell, which is read by its strings alone: nothing here parses it whole."""

import re
from collections.abc import Iterator, Sequence

from devloop_tools.guard.outputs import from_base64

_CALL = re.compile(r"\b(?:invoke-(?:restmethod|webrequest)|irm|iwr|curl|wget)\b", re.IGNORECASE)
_QUOTE = r"(@?['\"]\s*)"
_BODY = re.compile(
    rf"(?<!\w)-b(?:o(?:dy?)?)?(?:\s*:\s*|\s+)(?:\(\s*)?(?:{_QUOTE}|\$(\w+))", re.IGNORECASE
)
_SPLAT = re.compile(rf"\bbody['\"]?\s*=\s*(?:\(\s*)?(?:{_QUOTE}|\$(\w+))", re.IGNORECASE)
_VALUE = re.compile(rf"\$(\w+)\s*=\s*(?:\(\s*)?{_QUOTE}")
_PIPED = re.compile(rf"{_QUOTE}[^|;]{{1,2000}}\|\s*(?:invoke-|irm|iwr)", re.IGNORECASE)
_CLOSING = re.compile(r"(?<![`\"])\"(?!\")")
_COMMAND = ("command", "commandwithargs", "c", "cwa")
_ENCODED = ("encodedcommand", "e", "ec", "enc")
_REACH = 400
"""How much of a string is looked at."""


def script_bodies(texts: Sequence[str], stdin: str) -> Iterator[tuple[str, str]]:
    """Each option and body of what `pwsh` is told to run by its words or its input."""
    for position, text in enumerate(texts[1:], 1):
        name = text.lower().lstrip("-/")
        if text[:1] in "-/" and name in _COMMAND:
            yield from _script(" ".join(texts[position + 1 :]) or stdin)
            return
        if text[:1] in "-/" and name in _ENCODED:
            yield from _script(
                from_base64("".join(texts[position + 1 : position + 2]), "utf-16-le")
            )
            return
    if len(texts) > 1 and not texts[-1].startswith("-"):
        yield from _script(" ".join(texts[1:]))
    yield from _script(stdin)


def cmdlet_bodies(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The same of a cmdlet that stands in the command itself, its words split by Bash."""
    for position, text in enumerate(texts[1:], 1):
        name, colon, value = text.lower().partition(":")
        if len(name) > 1 and "-body".startswith(name):
            following = "".join(texts[position + 1 : position + 2])
            yield "-Body", text[len(name) + 1 :] if colon and value else following


def _script(text: str) -> Iterator[tuple[str, str]]:
    if not _CALL.search(text):
        return
    values = {
        found[1].lower(): _string(text, found.end(), found[2])
        for found in _VALUE.finditer(text[:20_000])
    }
    for pattern in (_BODY, _SPLAT):
        for found in pattern.finditer(text):
            quote, variable = found.groups()
            if quote:
                yield "-Body", _string(text, found.end(), quote)
            else:
                yield "-Body", values.get(variable.lower(), "")
    for found in _PIPED.finditer(text[:20_000]):
        yield "input", _string(text, found.end(1), found[1])


def _string(text: str, start: int, quote: str) -> str:
    """What follows the opening quote, up to the closing one."""
    value = text[start : start + _REACH]
    if quote.startswith("@"):
        return value.partition(f"\n{quote[1]}@")[0]
    if quote.startswith("'"):
        return value.partition("'")[0]
    return _CLOSING.split(value, 1)[0].replace('`"', '"').replace('""', '"')
