"""Paths of routes in one spelling, whatever framework wrote them: `/todos/{id}`."""

import re

_FLASK = re.compile(r"<(?:[^<>:]+(?:\([^)]*\))?:)?([^<>:]+)>")
_PARAM = re.compile(
    r"\{\*?(?P<braced>\w+)(?::[^{}]*)?\*?\}"
    r"|:(?P<colon>\w+)"
    r"(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\((?:[^()\\]|\\.|\([^()]*\))*\))?"
    r"(?P<many>[?*+])?"
)
"""`{id}`, `{id:path}`, and `:id` with what it must look like and whether it may be left out."""

_OPTIONAL_GROUP = re.compile(r"\{(/[^{}]*)\}")
_WILD = re.compile(r"\*\{?(\w*)\}?|\(\.\*\)")
_PARAMETER = re.compile(r"\{[^{}/]*\}")


def spellings(path: str) -> list[str]:
    """`path` with each parameter as `{name}`; two of them where a part may be left out."""
    path = _FLASK.sub(r"{\1}", path)
    if (group := _OPTIONAL_GROUP.search(path)) is not None:
        without = path[: group.start()] + path[group.end() :]
        within = path[: group.start()] + group[1] + path[group.end() :]
        return [*spellings(without), *spellings(within)]
    for found in _PARAM.finditer(path):
        if found["many"] in ("?", "*"):
            before, after = path[: found.start()], path[found.end() :]
            within = f"{before}{{{found['colon']}}}{after}"
            return [*spellings(before.removesuffix("/") + after), *spellings(within)]
    path = _PARAM.sub(lambda found: f"{{{found['braced'] or found['colon']}}}", path)
    return [_WILD.sub(lambda found: "{" + (found[1] or "rest") + "}", path)]


def joined(prefix: str, path: str) -> str:
    """A path below a prefix, without doubled or closing slashes."""
    whole = re.sub(r"/{2,}", "/", f"{prefix}/{path}")
    return whole.rstrip("/") or "/"


def key_of(path: str) -> str:
    """What two paths have in common if they differ in the names of parameters only."""
    [first, *_] = spellings(path)
    return _PARAMETER.sub("{}", joined("", first))
