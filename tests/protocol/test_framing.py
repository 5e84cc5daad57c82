"""Bytes to lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.protocol.framing import MARK, LineFramer

_PIECES = st.sampled_from(
    [b"\n", b"\r", b"{}", b"\x00", b"\xe2\x80\xa8", "甲".encode(), b" ", b"ab"]
)


def lines_of(*chunks: bytes, max_line: int = 1000) -> list[bytes]:
    framer = LineFramer(max_line, begun=True)
    for chunk in chunks:
        framer.feed(chunk)
    framer.finish()
    return list(iter(framer.take, None))


@given(st.lists(_PIECES).map(b"".join), st.lists(st.integers(0, 60)))
def test_any_split_of_the_stream_gives_the_same_lines(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(edges)]
    expected = [line for line in stream.split(b"\n") if line.strip()]
    assert lines_of(*chunks) == lines_of(stream) == expected


@given(st.lists(st.binary(max_size=12)), st.integers(1, 8))
def test_a_line_is_overlong_however_it_was_split(chunks: list[bytes], max_line: int) -> None:
    stream = b"".join(chunks)
    expected = [
        line if len(line) <= max_line else b"\x00"
        for line in stream.split(b"\n")
        if line.strip() or len(line) > max_line
    ]
    assert lines_of(*chunks, max_line=max_line) == lines_of(stream, max_line=max_line) == expected


def test_a_line_waits_for_its_end() -> None:
    framer = LineFramer()
    framer.feed('{"甲"'.encode()[:3])
    assert framer.take() is None
    framer.feed('{"甲"'.encode()[3:] + b":1}\n{")
    assert framer.take() == '{"甲":1}'.encode()
    assert framer.take() is None


def test_the_end_of_the_stream_ends_the_last_line() -> None:
    assert lines_of(b'{"id":1}\n{"id":2}') == [b'{"id":1}', b'{"id":2}']


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\r\n", b"\n\n\n"])
def test_blank_lines_are_no_messages(blank: bytes) -> None:
    assert lines_of(blank, b"{}\n", blank) == [b"{}"]


def test_only_0x0a_ends_a_line() -> None:
    line = '"甲\u2028乙\u2029丙\u0085丁\x0b\x0c\r"'.encode()
    assert lines_of(line + b"\n") == [line]


def test_what_follows_an_overlong_line_is_whole() -> None:
    assert lines_of(b"x" * 11, b"x" * 3, b"\n{}\n", max_line=10) == [b"\x00", b"{}"]


@given(st.lists(st.integers(0, 12), max_size=4))
def test_a_byte_order_mark_is_left_out_where_the_stream_begins(cuts: list[int]) -> None:
    stream = MARK + b"{}\n" + MARK + b"{}\n"
    framer = LineFramer()
    for start, end in pairwise([0, *sorted(cuts), len(stream)]):
        framer.feed(stream[start:end])
    assert list(iter(framer.take, None)) == [b"{}", MARK + b"{}"]
