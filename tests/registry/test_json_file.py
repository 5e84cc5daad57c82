"""Where each part of a JSON file stands."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.registry.json_file import JsonFault, JsonFile, Keys, parse_json_file, shown

TEXT = """{
  "模板": [
    1, {"id": "a\\n\\"b",
     "list": [ [], {} , -1.5e3, null, true]},
    "写"
  ] ,
  "other" : {}
}
"""


def parsed(text: str) -> JsonFile:
    return parse_json_file(Path("f.json"), text.encode())


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ((), (1, 1)),
        (("模板",), (2, 3)),
        (("模板", 0), (3, 5)),
        (("模板", 1), (3, 8)),
        (("模板", 1, "id"), (3, 9)),
        (("模板", 1, "list"), (4, 6)),
        (("模板", 1, "list", 1), (4, 20)),
        (("模板", 1, "list", 4), (4, 39)),
        (("模板", 2), (5, 5)),
        (("other",), (7, 3)),
        (("模板", 1, "gone", 3), (3, 8)),
        (("gone",), (1, 1)),
    ],
)
def test_a_part_is_found_by_the_way_to_it_else_its_parent(
    keys: Keys, place: tuple[int, int]
) -> None:
    assert parsed(TEXT).position(*keys) == place
    assert parsed(TEXT).place(*keys) == f"f.json:{place[0]}:{place[1]}"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    max_leaves=20,
)


def ways(value: Any, keys: Keys = ()) -> list[Keys]:
    match value:
        case dict():
            inner = [way for key, part in value.items() for way in ways(part, (*keys, key))]
        case list():
            inner = [way for at, part in enumerate(value) for way in ways(part, (*keys, at))]
        case _:
            inner = []
    return [keys, *inner]


@given(JSON, st.sampled_from([None, 1]))
def test_what_starts_at_a_place_is_the_part_that_was_asked_for(
    value: Any, indent: int | None
) -> None:
    text = json.dumps(value, indent=indent)
    file = parsed(text)
    lines = text.split("\n")
    for keys in ways(value):
        line, column = file.position(*keys)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        start, end = json.JSONDecoder().raw_decode(rest)
        if keys and isinstance(keys[-1], str):
            assert start == keys[-1]
            rest = rest[end:].lstrip(": ")
            start, _ = json.JSONDecoder().raw_decode(rest)
        part = value
        for key in keys:
            part = part[key]
        assert start == part


def test_every_part_of_a_long_file_is_found_in_no_time() -> None:
    file, start = parsed(json.dumps([{"工具": i} for i in range(5000)], indent=1)), time.monotonic()
    places = [file.position(i, "工具") for i in range(5000)]
    assert (places[0], places[-1]) == ((3, 3), (3 + 3 * 4999, 3))
    assert time.monotonic() - start < 5


def test_a_way_is_shown_as_people_write_it() -> None:
    assert shown(("templates", 0, "cli", "toolPolicy", 3)) == "templates[0].cli.toolPolicy[3]"
    assert shown(()) == ""


def test_a_key_that_stands_twice_is_named_in_its_second_place() -> None:
    with pytest.raises(JsonFault, match=r'^f\.json:3:3: the key "b" stands twice; remove one$'):
        parsed('{"a": {"b": 1}, "b": 1,\n "c": [],\n  "b": {}}')
