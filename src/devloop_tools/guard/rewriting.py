"""A refused command, rewritten so that its body goes through a file."""

import re
from typing import NamedTuple

from devloop_tools.guard.bodies import Body
from devloop_tools.guard.scope import Invocation, Place, Word
from devloop_tools.guard.values import plain

_DATA = frozenset({"-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--json"})
_WGET_DATA = {"--post-data": "--post-file", "--body-data": "--body-file"}


class Found(NamedTuple):
    """An inline body, and the command that has it."""

    body: Body
    invocation: Invocation


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def with_file(command: str, found: Found) -> str | None:
    """`command` with this one body written to a file first; None where that can't be told."""
    body, invocation = found
    place = invocation.place
    if place is None or not 0 <= body.position < len(invocation.words):
        return None
    word = invocation.words[body.position]
    if word.start < 0:
        return None
    code = command.encode("utf-8", "replace")
    name = _unused_name(command)
    if body.read:
        return _through_input(code, body, word, place, name)
    return _through_argument(code, body, invocation, place, name)


def _unused_name(command: str) -> str:
    names = ("body.json", *(f"body-{number}.json" for number in range(2, 100)))
    return next((name for name in names if name not in command), "body-100.json")


def _through_argument(
    code: bytes, body: Body, invocation: Invocation, place: Place, name: str
) -> str | None:
    """`printf '%s' BODY > body.json && curl ... -d @body.json`, the body's quotes as they are."""
    word = invocation.words[body.position]
    source = code[word.start : word.end].decode("utf-8", "replace")
    before, value = source[: body.offset], source[body.offset :]
    # What stands before the value must be read as it is written, or the cut would be wrong.
    if not re.fullmatch(r"[\w=-]*", before) or before != word.text[: body.offset]:
        return None
    # Signs that no quote protects would make other words of it on the way to the file.
    if plain(word.text) != word.text or (place.grouped and place.feed is not None):
        return None
    if body.option in _DATA:
        option = "--data-binary" if body.option == "--data-raw" else body.option
        edits = _renamed(code, body, invocation, before, option, f"@{name}")
    elif body.option in _WGET_DATA:
        edits = _renamed(code, body, invocation, before, _WGET_DATA[body.option], name)
    elif body.option == "--raw" and not before:
        flag = invocation.words[body.position - 1]
        last = invocation.words[-1]
        if flag.start < 0 or (last.start <= word.start and last is not word):
            return None
        edits = [_Edit(flag.start, word.end, f"@{name}")]
        if last is not word:
            edits = [_Edit(flag.start, word.end, ""), _Edit(last.end, last.end, f" @{name}")]
    else:
        return None
    return _put_before(code, edits, place, f"printf '%s' {value} > {name} && ")


def _renamed(
    code: bytes, body: Body, invocation: Invocation, before: str, option: str, value: str
) -> list[_Edit]:
    """Edits that give the option another value, and another name where it needs one."""
    word = invocation.words[body.position]
    if before:
        if option == body.option and not before.startswith("--"):
            return [_Edit(word.start, word.end, before + value)]
        separator = "=" if before.endswith("=") else ""
        return [_Edit(word.start, word.end, f"{option}{separator}{value}")]
    edits = [_Edit(word.start, word.end, value)]
    flag = invocation.words[body.position - 1]
    if option != body.option and flag.start >= 0:
        edits.insert(0, _Edit(flag.start, flag.end, option))
    return edits


def _through_input(code: bytes, body: Body, word: Word, place: Place, name: str) -> str | None:
    """A pipe, heredoc or herestring that brings the body goes to the file instead."""
    feed = place.feed
    plain_word = code[word.start : word.end].decode("utf-8", "replace")
    if feed is None or plain_word != word.text or not plain_word.endswith("@-"):
        return None
    named = _Edit(word.start, word.end, plain_word[:-1] + name)
    if feed.kind == "pipe":
        if place.grouped and code[feed.start : feed.end].strip() != b"|":
            return None
        return _edited(code, [_Edit(feed.start, feed.end, f" > {name} && "), named])
    if place.grouped:
        return None
    source = code[feed.start : feed.end].decode("utf-8", "replace")
    taken = _Edit(feed.start, feed.end, "")
    # The grammar knows no redirection before `<<<`.
    to_file = f"{source} > {name}" if feed.kind == "herestring" else f"> {name} {source}"
    return _edited(code, [_Edit(place.start, place.start, f"cat {to_file} && "), named, taken])


def _put_before(code: bytes, edits: list[_Edit], place: Place, first: str) -> str | None:
    if not place.grouped:
        return _edited(code, [_Edit(place.start, place.start, first), *edits])
    if b"<<" in code[place.start : place.end]:
        return None
    return _edited(
        code,
        [
            _Edit(place.start, place.start, f"{{ {first}"),
            *edits,
            _Edit(place.end, place.end, "; }"),
        ],
    )


def _edited(code: bytes, edits: list[_Edit]) -> str:
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [code[position : edit.start].decode("utf-8", "replace"), edit.text]
        position = max(position, edit.end)
    pieces.append(code[position:].decode("utf-8", "replace"))
    return "".join(pieces)
