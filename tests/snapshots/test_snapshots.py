"""Definitions and lists change only with a diff that somebody has read (`make snapshots`)."""

from pathlib import PurePath

import orjson
import pytest
from tests.snapshots.bug_page import PAGE, draw_page
from tests.snapshots.drawing import draw, stored
from tests.snapshots.known_words import WORDS, draw_words

DRAWN = draw()
STORED = stored()


@pytest.mark.parametrize("name", sorted({*DRAWN, *STORED}))
def test_the_snapshot_is_what_is_drawn_from_the_code(name: str) -> None:
    assert STORED.get(name) == DRAWN.get(name), "run `make snapshots` and read the diff"


def test_there_is_one_of_each_tool_and_agent() -> None:
    folders = [PurePath(name).parts for name in DRAWN]
    assert sum("tools" in parts for parts in folders) >= 5
    assert sum("agents" in parts for parts in folders) == 6


def test_an_agents_list_is_sorted_and_its_bytes_add_up() -> None:
    for name in DRAWN:
        if "/agents/" in name:
            costs = orjson.loads(DRAWN[name])
            names = list(costs["tools"])
            assert names == sorted(names)
            frame = len('{"tools":[]}') + len(names) - 1
            assert costs["bytes"] == sum(costs["tools"].values()) + frame


def test_drawing_twice_gives_the_same() -> None:
    assert draw() == DRAWN


def test_the_page_of_bugs_is_what_is_drawn_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == draw_page(), "run `make snapshots`"


def test_the_known_words_are_those_of_the_reports() -> None:
    assert WORDS.read_bytes() == draw_words(), "run `make snapshots`"
