"""Lines over descriptors: pipes, sockets, files and what is no longer there."""

import itertools
import json
import os
import pty
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from devloop_tools.protocol.framing import MARK
from devloop_tools.protocol.messages import JsonObject, Notification, Request
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.stdio import StdioTransport, restore_blocking
from devloop_tools.rpc.transport import ENOUGH_QUEUED, PeerGone

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


class Echo:
    """Answers with the text it was sent, as often as it was asked to."""

    takes_batches = False

    def __init__(self) -> None:
        self.ran: list[object] = []
        self.connection: Connection

    async def request(self, request: Request) -> JsonObject:
        self.ran.append(request.id)
        text = str(request.params.get("text", ""))
        return {"result": text * int(request.params.get("times", 1))}

    def notification(self, notification: Notification) -> None:
        self.connection.cancel(notification.params.get("requestId"))


class Ends:
    """Two descriptors of the server's, and the other ends of them."""

    def __init__(self, read_fd: int, write_fd: int, their_in: int, their_out: int) -> None:
        self.server = (read_fd, write_fd)
        self.their_in, self.their_out = their_in, their_out

    def close_input(self) -> None:
        os.close(self.their_out)

    async def read_to_the_end(self) -> bytes:
        chunks: list[bytes] = []
        while chunk := await anyio.to_thread.run_sync(os.read, self.their_in, 1 << 16):
            chunks.append(chunk)
        return b"".join(chunks)


@pytest.fixture(params=["pipes", "sockets"])
def ends(request: pytest.FixtureRequest) -> Iterator[Ends]:
    make = os.pipe if request.param == "pipes" else _sockets
    (read_fd, their_out), (their_in, write_fd) = make(), make()
    with ExitStack() as open_fds:
        for fd in (read_fd, write_fd, their_in, their_out):
            open_fds.callback(_close, fd)
        yield Ends(read_fd, write_fd, their_in, their_out)


def _sockets() -> tuple[int, int]:
    one, other = socket.socketpair()
    return one.detach(), other.detach()


def _close(fd: int) -> None:
    with suppress(OSError):
        os.close(fd)


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


async def serve(ends: Ends, max_in_flight: int = 4096, **options: Any) -> Echo:
    """Serve until the input ends, then close the output."""
    echo = Echo()
    transport = StdioTransport(*ends.server, **options)
    echo.connection = Connection(transport, max_in_flight=max_in_flight)
    with anyio.fail_after(10):
        await echo.connection.run(echo)
    os.close(ends.server[1])
    return echo


async def test_what_came_before_is_answered_before_what_comes(ends: Ends) -> None:
    os.write(ends.their_out, message(id=2, method="m", params={"text": "乙"}))
    ends.close_input()
    await serve(ends, rest=message(id=1, method="m", params={"text": "甲"}))
    replies = (await ends.read_to_the_end()).splitlines()
    assert [json.loads(line)["result"] for line in replies] == ["甲", "乙"]


async def test_a_last_line_without_its_end_is_answered(ends: Ends) -> None:
    os.write(ends.their_out, PING[:10])
    os.write(ends.their_out, PING[10:-1])
    ends.close_input()
    await serve(ends)
    assert json.loads(await ends.read_to_the_end())["id"] == 1


async def test_an_input_that_has_ended_before_is_not_read(ends: Ends) -> None:
    await serve(ends, rest=PING + PING[:-1], ended=True)
    assert len((await ends.read_to_the_end()).splitlines()) == 2


async def test_a_broken_line_is_answered_and_the_next_one_too(ends: Ends) -> None:
    os.write(ends.their_out, b"\xff\xfe{\n\x00\nnot json\n" + b"x" * 101 + b"\n" + PING)
    ends.close_input()
    await serve(ends, max_line=100)
    replies = [json.loads(line) for line in (await ends.read_to_the_end()).splitlines()]
    assert [reply.get("error", {}).get("code") for reply in replies] == [-32700] * 4 + [None]


async def test_a_cancel_in_the_same_chunk_as_its_call_keeps_it_from_starting(ends: Ends) -> None:
    cancel = message(method="cancel", params={"requestId": 1})
    os.write(ends.their_out, PING + cancel + message(id=2, method="m"))
    ends.close_input()
    echo = await serve(ends)
    assert echo.ran == [2]


async def test_a_reply_that_no_pipe_holds_arrives_whole(ends: Ends) -> None:
    os.write(
        ends.their_out, message(id=1, method="m", params={"text": "甲\u2028", "times": 300_000})
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve, ends)
        received = bytearray()
        while not received.endswith(b"\n"):
            received += await anyio.to_thread.run_sync(os.read, ends.their_in, 1 << 16)
        ends.close_input()
    assert json.loads(received)["result"] == "甲\u2028" * 300_000


async def test_from_a_peer_that_does_not_read_no_more_is_read(ends: Ends) -> None:
    ids = itertools.count()

    def send(calls: int) -> None:
        large = {"text": "x" * 1000, "times": 600}
        lines = [message(id=next(ids), method="m", params=large) for _ in range(calls)]
        os.write(ends.their_out, b"".join(lines))

    async with anyio.create_task_group() as tasks:
        echo, transport = Echo(), StdioTransport(*ends.server)
        echo.connection = Connection(transport)
        tasks.start_soon(echo.connection.run, echo)
        while not transport.is_full():
            send(1)
            await _turns()
        taken = len(echo.ran)
        send(9)
        await _turns()
        assert len(echo.ran) == taken + 1
        assert taken * 600_000 < 3 * ENOUGH_QUEUED
        tasks.cancel_scope.cancel()


async def _turns() -> None:
    """Let the loop look at its descriptors so often that whatever can happen has happened."""
    for _ in range(20):
        await anyio.lowlevel.checkpoint()


async def test_a_peer_that_has_gone_ends_the_connection(ends: Ends) -> None:
    os.write(ends.their_out, message(id=1, method="m", params={"text": "x" * 1000, "times": 5000}))
    os.close(ends.their_in)
    echo = await serve(ends)
    assert echo.ran == [1]


async def test_writing_to_nobody_says_that_the_peer_is_gone() -> None:
    read_fd, write_fd = os.pipe()
    null = os.open(os.devnull, os.O_RDONLY)
    transport = StdioTransport(null, write_fd)
    os.close(read_fd)
    transport.send(PING)
    with pytest.raises(PeerGone), anyio.fail_after(5):
        await transport.write_queued()
    os.close(write_fd)
    os.close(null)


async def test_an_input_that_can_no_longer_be_read_has_ended() -> None:
    folder, write_fd = os.open("/", os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    assert await StdioTransport(folder, write_fd).receive() is None
    os.close(folder)
    os.close(write_fd)


async def test_files_serve_as_input_and_output(tmp_path: Path) -> None:
    # A chunk holds about 60 of these, which are answered before the next one is read.
    calls = [message(id=n, method="m", params={"pad": "x" * 1000}) for n in range(500)]
    (tmp_path / "in").write_bytes(b"".join(calls))
    read_fd = os.open(tmp_path / "in", os.O_RDONLY)
    write_fd = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    await serve(Ends(read_fd, write_fd, -1, -1), max_in_flight=100)
    os.close(read_fd)
    replies = [json.loads(line)["id"] for line in (tmp_path / "out").read_bytes().splitlines()]
    assert replies == list(range(500))


async def test_a_terminal_serves_too_and_keeps_its_flags() -> None:
    theirs, ours = pty.openpty()
    transport = StdioTransport(ours, ours)
    assert os.get_blocking(ours)
    os.write(theirs, "甲\n".encode())
    with anyio.fail_after(5):
        assert await transport.receive() == "甲".encode()
    os.close(theirs)
    with anyio.fail_after(5):
        assert await transport.receive() is None
    os.close(ours)


async def test_flush_waits_until_everything_is_written(ends: Ends) -> None:
    transport = StdioTransport(*ends.server)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(transport.write_queued)
            for _ in range(100):
                transport.send(PING)
            await transport.flush()
            assert os.read(ends.their_in, 1 << 16) == PING * 100
            tasks.cancel_scope.cancel()


async def test_a_last_line_is_written_without_a_turn_of_the_loop(ends: Ends) -> None:
    transport = StdioTransport(*ends.server)
    transport.send("一 one\n".encode())
    transport.send(b"two\n", last=True)
    # Nothing was awaited, and nobody runs `write_queued`.
    assert os.read(ends.their_in, 100) == "一 one\ntwo\n".encode()
    assert not transport.is_full()


async def test_what_a_last_line_can_not_write_at_once_follows_in_order(ends: Ends) -> None:
    transport = StdioTransport(*ends.server)
    lines = [b"x" * 400_000 + b"\n", b"y" * 400_000 + b"\n", b"z\n"]
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(transport.write_queued)
            for line in lines:
                transport.send(line, last=True)
            came = b""
            while len(came) < sum(map(len, lines)):
                came += await anyio.to_thread.run_sync(os.read, ends.their_in, 1 << 16)
            tasks.cancel_scope.cancel()
    assert came == b"".join(lines)


def test_an_output_is_given_back_as_it_was(ends: Ends) -> None:
    StdioTransport(*ends.server)
    assert not os.get_blocking(ends.server[1])
    restore_blocking(ends.server[1])
    assert os.get_blocking(ends.server[1])
    os.close(ends.server[1])
    restore_blocking(ends.server[1])


@pytest.mark.parametrize(("begun", "answers"), [(False, True), (True, False)])
async def test_a_byte_order_mark_is_ignored_where_the_stream_begins_alone(
    ends: Ends, begun: bool, answers: bool
) -> None:
    os.write(ends.their_out, MARK + PING)
    ends.close_input()
    await serve(ends, begun=begun)
    assert (json.loads(await ends.read_to_the_end())["id"] == 1) is answers
