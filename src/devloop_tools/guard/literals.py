"""What counts as a JSON object or array that somebody wrote out."""

import re

from devloop_tools.guard.values import HOLE, bare, plain

_OBJECT = re.compile(
    rf"\{{\s*(?:\}}|\\*[\"']|{HOLE}|\$\w|[^\W\d][\w.-]*\s*:(?!:))",
)
_LIST = re.compile(rf"\[\s*(?:\\*[\"']|\{{|\[|{HOLE}|-?\d|true\b|false\b|null\b|\])")
_CERTAIN_LIST = re.compile(r"\[\s*(?:\\*[\"']|\{\s*[\"'}]|\[\s*[\"'{\[\d])")
_FIELD = re.compile(r"(?:^|[&\n])([^&\n=]*)=([^&\n]*)")
_PERCENT = re.compile(r"%([0-9a-fA-F]{2})")
_MAX_FIELDS = 2_000


def looks_like_json(text: str) -> bool:
    """Whether `text` is a JSON object or array, or one with holes, or one with lost quotes."""
    start = plain(text).lstrip("\ufeff \t\r\n" + HOLE)
    if _OBJECT.match(start):
        return True
    if not _LIST.match(start):
        return False
    end = start.rstrip()
    return bool(_CERTAIN_LIST.match(start)) or end.endswith(("]", HOLE))


def holds_json(body: str) -> bool:
    """Whether a request's body is such a text, or has one as a line or as the value of a field."""
    if looks_like_json(body):
        return True
    text = plain(body)
    if "{" not in text and "[" not in text and "%" not in text:
        return False
    if any(re.match(r"\s*\{\s*\\?\"", line) for line in text.split("\n")[:_MAX_FIELDS]):
        return True
    for number, (_, value) in enumerate(found.groups() for found in _FIELD.finditer(text)):
        if number > _MAX_FIELDS:
            return False
        if looks_like_json(value) or looks_like_json(_unescaped(value)):
            return True
    return looks_like_json(_unescaped(bare(text)))


def _unescaped(text: str) -> str:
    """A value as a form's reader gets it."""
    decoded = _PERCENT.sub(lambda found: chr(int(found[1], 16)), text)
    return decoded if decoded != text else ""
