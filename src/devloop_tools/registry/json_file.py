"""A JSON file that people write: its value, and the line and column of each part of it.

Positions are looked for when something is said about a part; reading takes no longer for them.
"""

import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from devloop_tools.frozen import frozen
from devloop_tools.registry.errors import LoadError

Keys = tuple[str | int, ...]
"""The way to a part: `("templates", 0, "id")`."""

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class JsonFault(LoadError):
    """The file is no JSON; the text says in which line and column, and why."""


@frozen
class JsonFile:
    """What was read. `path` may be any that a person can find it by."""

    path: Path
    value: Any
    text: str

    def place(self, *keys: str | int) -> str:
        """`agents.json:12:7`, where the part at `keys` starts; its nearest parent if it isn't."""
        line, column = self.position(*keys)
        return f"{self.path}:{line}:{column}"

    def position(self, *keys: str | int) -> tuple[int, int]:
        """The same as line and column, from 1."""
        ways = (keys[:length] for length in range(len(keys), -1, -1))
        offset = next(self._starts[way] for way in ways if way in self._starts)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    @cached_property
    def _starts(self) -> dict[Keys, int]:
        # All at once: a long policy may have something to be said about each of its entries.
        return dict(_parts(self.text))

    @cached_property
    def _lines(self) -> list[int]:
        """The offset at which each line starts."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]


def parse_json_file(path: Path, content: bytes) -> JsonFile:
    """The JSON in `content`, which may start with a byte order mark. Raises JsonFault."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode()
    except UnicodeDecodeError as exc:
        before = content[: exc.start].decode(errors="replace")
        _fault(path, before, len(before), "not UTF-8; save the file as UTF-8")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as exc:
        _fault(path, text, exc.pos, f"not JSON: {exc.msg}")
    except RecursionError:
        _fault(path, text, 0, "nested too deeply")
    except _Duplicate as exc:
        _fault(path, text, _second(text, exc.key), f'the key "{exc.key}" stands twice; remove one')
    except ValueError as exc:
        _fault(path, text, max(text.find(str(exc)), 0), f"not JSON: {exc} is no number of JSON")
    return JsonFile(path, value, text)


def shown(keys: Keys) -> str:
    """`templates[0].cli.toolPolicy[3]`."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return "".join(parts).removeprefix(".")


class _Duplicate(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [key for key, _ in pairs]
        raise _Duplicate(next(key for key in names if names.count(key) > 1))
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _fault(path: Path, text: str, offset: int, reason: str) -> NoReturn:
    line, column = _line_and_column(text, offset)
    raise JsonFault(f"{path}:{line}:{column}: {reason}")


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")


def _second(text: str, key: str) -> int:
    seen: set[Keys] = set()
    for keys, start in _parts(text):
        if keys in seen and keys[-1] == key:
            return start
        seen.add(keys)
    return 0


def _parts(text: str) -> Iterator[tuple[Keys, int]]:
    """Each value in `text`, which is JSON, with the offset where it starts (a member: its key)."""
    open_: list[tuple[Keys, int | None]] = []
    keys: Keys = ()
    at = start = _skip(text, 0)
    while True:
        yield keys, start
        if text[at] in "[{":
            open_.append((keys, 0 if text[at] == "[" else None))
            at = _skip(text, at + 1)
        else:
            at = _skip(text, _DECODER.raw_decode(text, at)[1])
        while open_ and text[at] in "]}":
            open_.pop()
            at = _skip(text, at + 1)
        if not open_:
            return
        at = _skip(text, at + 1) if text[at] == "," else at
        parent, index = open_[-1]
        start = at
        if index is None:
            key, end = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, end) + 1)
            keys = (*parent, key)
        else:
            keys, open_[-1] = (*parent, index), (parent, index + 1)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
