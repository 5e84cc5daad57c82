"""The first lines, answered over two pipes before anything heavy is imported."""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.server.conftest import connected

from devloop_tools.protocol.framing import MARK
from devloop_tools.rpc.first_lines import FirstLines, go_on
from devloop_tools.server.greeting import answer

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
BAD_OPENING = b'{"jsonrpc":"2.0","id":"p","method":"initialize","params":{}}\n'
OPENING = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":'
    '{"protocolVersion":"2025-06-18","clientInfo":{"name":"客户端"}}}\n'
).encode()
READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'


@dataclass
class Spoken:
    """What was said on both pipes."""

    lines: FirstLines
    replies: list[Any]


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            with suppress(OSError):
                os.close(end)


def greet(read_fd: int, write_fd: int) -> FirstLines:
    lines = FirstLines()
    go_on(lines, answer, read_fd, write_fd, more=lambda: True)
    return lines


def speak(*pieces: bytes) -> Spoken:
    """Write the pieces one by one, then end the input."""
    with pipe() as (read_in, write_in), pipe() as (read_out, write_out):
        writer = threading.Thread(target=_write_all, args=(write_in, pieces))
        writer.start()
        lines = greet(read_in, write_out)
        # What was written after the last read belongs to the connection too.
        while piece := os.read(read_in, 1 << 16):
            lines.rest += piece
        writer.join()
        os.close(write_out)
        with os.fdopen(os.dup(read_out), "rb") as replies:
            return Spoken(lines, [json.loads(line) for line in replies])


def _write_all(fd: int, pieces: Sequence[bytes]) -> None:
    for piece in pieces:
        os.write(fd, piece)
    os.close(fd)


def test_greetings_are_answered_until_the_opening_and_the_rest_goes_on_as_it_came() -> None:
    rest = READY + LIST + b'{"jsonrpc":"2.0","id":3,'
    spoken = speak(b"\r\n" + PING + OPENING + rest)
    assert [reply["id"] for reply in spoken.replies] == [1, 0]
    assert spoken.replies[1]["result"]["protocolVersion"] == "2025-06-18"
    assert [method for method, _ in spoken.lines.answered] == ["ping", "initialize"]
    assert spoken.lines.rest == rest
    assert not spoken.lines.ended


def test_an_opening_that_is_refused_is_not_the_end_of_the_greeting() -> None:
    spoken = speak(BAD_OPENING, READY, PING, OPENING, LIST)
    assert ["error" in reply for reply in spoken.replies] == [True, False, False]
    assert spoken.lines.rest == LIST


@pytest.mark.parametrize(
    "line",
    [
        LIST,
        b"not json\n",
        b"\xff\xfe{\n",
        b"[" * 2000 + b"\n",
        b"[]\n",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}\n',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":5}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":0}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":NaN}}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
        b"\x00\n",
    ],
)
def test_a_line_that_is_no_greeting_goes_on_with_all_that_follows(line: bytes) -> None:
    spoken = speak(PING + line + PING)
    assert [reply["id"] for reply in spoken.replies] == [1]
    assert spoken.lines.rest == line + PING


def test_what_lacks_its_end_at_the_end_of_input_goes_on() -> None:
    spoken = speak(PING, PING[:-1])
    assert len(spoken.replies) == 1
    assert spoken.lines.rest == PING[:-1]
    assert spoken.lines.ended


def test_an_input_that_is_empty_or_closed_has_ended() -> None:
    assert speak().lines.ended
    with pipe() as (read_in, write_out):
        os.close(read_in)
        assert greet(read_in, write_out).ended


def test_a_long_line_goes_on_before_it_is_whole(tmp_path: Path) -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * 1_000_000
    (tmp_path / "in").write_bytes(line)
    read_fd = os.open(tmp_path / "in", os.O_RDONLY)
    lines = greet(read_fd, -1)
    assert not lines.ended
    assert 200_000 < len(lines.rest) < 400_000
    assert lines.rest + os.read(read_fd, 1_000_000) == line
    os.close(read_fd)


def test_a_peer_that_has_gone_ends_the_greeting_quietly() -> None:
    with pipe() as (read_in, write_in), pipe() as (read_out, write_out):
        os.close(read_out)
        os.write(write_in, PING + LIST)
        lines = greet(read_in, write_out)
        assert (lines.ended, lines.rest) == (True, b"")


def test_an_input_that_must_be_polled_goes_on_at_once() -> None:
    with pipe() as (read_in, write_in), pipe() as (read_out, write_out):
        os.set_blocking(read_in, False)
        os.write(write_in, PING)
        lines = greet(read_in, write_out)
        assert (lines.answered, lines.rest, lines.ended) == ([("ping", {})], b"", False)
        assert json.loads(os.read(read_out, 1000))["id"] == 1


def test_an_output_that_does_not_block_takes_whole_replies() -> None:
    with pipe() as (read_in, write_in), pipe() as (read_out, write_out):
        os.set_blocking(write_out, False)
        os.write(write_in, PING * 1000)
        os.close(write_in)
        replies: list[bytes] = []

        def read_slowly() -> None:
            while chunk := os.read(read_out, 1 << 12):
                replies.append(chunk)

        # The pipe is full before the reader starts, so that the writer has to wait for it.
        os.write(write_out, b"\n" * 65_536)
        reader = threading.Thread(target=read_slowly)
        reader.start()
        greet(read_in, write_out)
        os.close(write_out)
        reader.join()
        assert len(b"".join(replies).split()) == 1000


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 400), max_size=6))
def test_any_split_of_the_input_gives_the_same_replies_and_the_same_rest(cuts: list[int]) -> None:
    stream = b"\n" + PING + BAD_OPENING + READY + OPENING + READY + LIST + b'{"half'
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    spoken = speak(*(stream[start:end] for start, end in pairwise(edges)))
    assert [reply["id"] for reply in spoken.replies] == [1, "p", 0]
    assert spoken.lines.rest == READY + LIST + b'{"half'


GREETINGS: list[dict[str, Any]] = [
    {"id": 1, "method": "ping"},
    {"id": "一", "method": "ping", "params": None},
    {"id": "\ud800", "method": "ping", "params": {"_meta": {}}},
    {"id": 2**64 - 1, "method": "ping", "params": {"a": [1]}},
    {"id": "server-discover-probe-1", "method": "server/discover", "params": {"_meta": {"a": 1}}},
    {"id": 5, "method": "initialize"},
    {"id": 6, "method": "initialize", "params": {"protocolVersion": None}},
    {"id": 7, "method": "initialize", "params": {"protocolVersion": ["2025-11-25"]}},
    *(
        {"id": -8, "method": "initialize", "params": {"protocolVersion": version}}
        for version in ("2024-11-05", "2025-03-26", "2025-11-25", "2099-01-01", "最新", "")
    ),
]


@pytest.mark.parametrize("greeting", GREETINGS)
async def test_the_connection_answers_a_greeting_in_the_same_words(
    greeting: dict[str, Any], tmp_path: Path
) -> None:
    message = {"jsonrpc": "2.0", **greeting}
    [early] = speak(json.dumps(message).encode() + b"\n").replies
    async with connected(tmp_path, version=None) as client:
        client.send(message)
        assert await client.next() == early


@pytest.mark.parametrize("cut", [1, 2, 3, 9])
def test_a_byte_order_mark_before_the_first_line_is_ignored(cut: int) -> None:
    stream = MARK + PING + MARK + PING
    spoken = speak(stream[:cut], stream[cut:])
    assert [reply["id"] for reply in spoken.replies] == [1]
    assert spoken.lines.rest == MARK + PING
    assert speak(MARK + LIST).lines.rest == LIST
