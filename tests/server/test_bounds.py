"""Results short enough to be shown."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devloop_tools.server.bounds import (
    MAX_RESULT_BYTES,
    bounded_blocks,
    bounded_object,
    bounded_text,
)


class Shelf:
    """Keeps what is handed to it, under a name for each ending."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def keep(self, content: bytes, ending: str) -> str:
        self.kept[ending] = content
        return f".devloop/results/call-1{ending}"


def nowhere(_content: bytes, _ending: str) -> None:
    """Keeps nothing."""


def size(value: object) -> int:
    return len(orjson.dumps(value))


@pytest.mark.parametrize("text", ["", "甲", "x" * MAX_RESULT_BYTES, "甲" * (MAX_RESULT_BYTES // 3)])
def test_a_text_that_fits_stays_as_it_is(text: str) -> None:
    shelf = Shelf()
    assert bounded_text(text, shelf.keep) == text
    assert shelf.kept == {}


@pytest.mark.parametrize("character", ["x", "é", "甲", "😀"])
@pytest.mark.parametrize("shift", range(1, 5))
def test_a_longer_text_is_cut_between_characters_and_names_the_whole(
    character: str, shift: int
) -> None:
    shelf = Shelf()
    text = "y" * shift + character * MAX_RESULT_BYTES
    cut = bounded_text(text, shelf.keep)
    head, _, tail = cut.rpartition("\n")
    assert text.startswith(head)
    assert tail == (
        f"… cut: {len(text.encode())} bytes in all; the whole is in .devloop/results/call-1.txt"
    )
    assert MAX_RESULT_BYTES - 4 < len(cut.encode()) <= MAX_RESULT_BYTES
    assert shelf.kept == {".txt": text.encode()}


def test_a_text_whose_whole_could_not_be_kept_says_so() -> None:
    cut = bounded_text("甲" * MAX_RESULT_BYTES, nowhere)
    assert cut.endswith("bytes in all; the whole could not be kept")


def test_an_object_that_fits_stays_as_it_is() -> None:
    value = {"ok": True, "text": "甲" * 10_000}
    assert bounded_object(value, Shelf().keep) is value


def test_a_long_list_is_cut_from_its_end_and_counts_stay() -> None:
    shelf = Shelf()
    items = [{"n": n, "text": "项"} for n in range(20_000)]
    value = {"ok": True, "total": 20_000, "items": items}
    cut = bounded_object(value, shelf.keep)
    assert (cut["ok"], cut["total"], cut["truncated"]) == (True, 20_000, True)
    assert cut["items"] == items[: len(cut["items"])]
    assert len(cut["items"]) > 1000
    assert cut["full_result"] == ".devloop/results/call-1.json"
    assert json.loads(shelf.kept[".json"]) == value


def test_a_long_text_in_an_object_keeps_its_head() -> None:
    cut = bounded_object({"ok": False, "reason": "短", "log": "日志" * 20_000}, Shelf().keep)
    assert (cut["ok"], cut["reason"]) == (False, "短")
    assert cut["log"].startswith("日志日志")
    assert cut["log"].endswith("…")
    assert size(cut) <= MAX_RESULT_BYTES


def test_one_large_item_of_a_list_shows_its_head() -> None:
    cut = bounded_object({"ok": True, "rows": [{"id": 1, "text": "x" * 99_999}]}, Shelf().keep)
    assert cut["rows"][0]["id"] == 1
    assert cut["rows"][0]["text"].startswith("xxx")


def test_large_fields_share_what_the_small_ones_leave() -> None:
    value = {"a": "x" * 40_000, "b": ["y" * 100] * 1000, "c": {"d": "z" * 40_000, "n": 7}}
    cut = bounded_object(value, Shelf().keep)
    assert all(size(cut[name]) > 4000 for name in "abc")
    assert cut["c"]["n"] == 7


def test_what_can_not_be_cut_leaves_the_marks_alone() -> None:
    value: dict[str, Any] = {f"field-{n}": n for n in range(20_000)}
    assert bounded_object(value | {"ok": False}, Shelf().keep) == {
        "ok": False,
        "truncated": True,
        "full_result": ".devloop/results/call-1.json",
    }


def test_an_object_whose_whole_could_not_be_kept_names_no_file() -> None:
    cut = bounded_object({"text": "x" * 99_999}, nowhere)
    assert cut["truncated"] is True
    assert "full_result" not in cut


def test_texts_of_several_blocks_share_the_bound() -> None:
    shelf = Shelf()
    image = {"type": "image", "data": "x" * 99_999, "mimeType": "image/png"}
    texts = [{"type": "text", "text": "甲" * 30_000}, {"type": "text", "text": "short"}]
    first, second, third = bounded_blocks([texts[0], image, texts[1]], shelf.keep)
    assert (second, third) == (image, texts[1])
    assert len(first["text"].encode()) <= MAX_RESULT_BYTES // 2
    assert "call-1-1.txt" in first["text"]
    assert list(shelf.kept) == ["-1.txt"]


_VALUES = st.recursive(
    st.none() | st.integers(-5, 5) | st.text(max_size=20) | st.just("汉字\n\x00" * 3000),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@settings(max_examples=15, deadline=None)
@given(st.dictionaries(st.text(max_size=8), _VALUES))
def test_whatever_an_object_holds_it_fits(value: dict[str, Any]) -> None:
    cut = bounded_object(value, Shelf().keep)
    assert size(cut) <= MAX_RESULT_BYTES
    assert cut is value or cut["truncated"]
