"""What a client says while the server loads is dealt with, and nothing of it is lost."""

import os

import pytest

from devloop_tools.rpc.first_lines import FirstLines
from devloop_tools.rpc.meanwhile import answering
from devloop_tools.server.greeting import answer

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
LIST = '{"jsonrpc":"2.0","id":"列","method":"tools/list"}\n'.encode()


@pytest.mark.parametrize(
    ("sent", "answered", "left"),
    [
        (PING, PONG, b""),
        (INITIALIZED + PING, PONG, b""),
        (LIST + PING, b"", LIST + PING),
        (PING + LIST, PONG, LIST),
        (PING + LIST[:9], PONG, LIST[:9]),
        (b"\n \r\n" + PING, PONG, b""),
    ],
)
def test_lines_are_answered_or_left_over(sent: bytes, answered: bytes, left: bytes) -> None:
    read_fd, client_writes = os.pipe()
    client_reads, write_fd = os.pipe()
    lines = FirstLines()
    os.write(client_writes, sent)
    with answering(lines, answer, read_fd, write_fd):
        # What is answered is waited for; what is not, is still there afterwards.
        came = os.read(client_reads, 4096) if answered else b""
    os.close(client_writes)
    not_read = os.read(read_fd, 4096)
    for fd in (read_fd, client_reads, write_fd):
        os.close(fd)
    assert (came, lines.rest + not_read) == (answered, left)
