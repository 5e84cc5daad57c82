"""What a connection asks and tells its peer by itself."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from devloop_tools.protocol.messages import JsonObject, Notification, Request
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.rpc.transport import ENOUGH_QUEUED, PeerError


class Quiet:
    """A handler that is asked nothing but pings."""

    takes_batches = False

    async def request(self, request: Request) -> JsonObject:
        return {"result": {}}

    def notification(self, notification: Notification) -> None: ...


class Peer:
    """The other end, and what asking it has brought."""

    def __init__(self, transport: MemoryTransport, connection: Connection) -> None:
        self.transport, self.connection = transport, connection
        self.answers: list[Any] = []

    async def ask(self, timeout_s: float = 5) -> None:
        try:
            answer = await self.connection.request("host.执行", {"问": "?"}, timeout_s)
        except PeerError as exc:
            self.answers.append(str(exc))
        else:
            self.answers.append(answer)

    async def next(self) -> Any:
        line = await self.transport.receive()
        assert line is not None
        return json.loads(line)

    def send(self, **members: object) -> None:
        self.transport.send(json.dumps({"jsonrpc": "2.0", **members}).encode())


@asynccontextmanager
async def connected() -> AsyncIterator[Peer]:
    theirs, ours = memory_pair()
    peer = Peer(theirs, Connection(ours))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(peer.connection.run, Quiet())
            await anyio.lowlevel.checkpoint()
            yield peer
            theirs.close()


@pytest.mark.parametrize(
    ("members", "answer"),
    [
        ({"result": {"答": 1}}, {"答": 1}),
        ({"result": None}, None),
        ({"error": {"code": -1, "message": "不行"}}, "host.执行: 不行"),
        ({"error": {"code": -1}}, "host.执行: {'code': -1}"),
        ({"error": "odd"}, "host.执行: odd"),
    ],
)
async def test_the_answer_to_a_question_is_its_result_or_says_why_not(
    members: dict[str, Any], answer: object
) -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        question = await peer.next()
        assert (question["method"], question["params"]) == ("host.执行", {"问": "?"})
        peer.send(id=question["id"], **members)
        while not peer.answers:
            await anyio.lowlevel.checkpoint()
    assert peer.answers == [answer]


@pytest.mark.parametrize("line", ['{"jsonrpc":"2.0","id":%s}', '{"id":%s,"result":1}'])
async def test_an_answer_that_is_none_ends_the_question_at_once(line: str) -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        question = await peer.next()
        peer.transport.send((line % json.dumps(question["id"])).encode())
        while not peer.answers:
            await anyio.lowlevel.checkpoint()
    [said] = peer.answers
    assert said.startswith("host.执行: no answer: Invalid request: ")


async def test_a_malformed_request_with_the_id_of_a_question_is_no_answer_to_it() -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        question = await peer.next()
        peer.send(id=question["id"], method=5)
        assert (await peer.next())["error"]["code"] == -32600
        peer.send(id=question["id"], result="真")
        while not peer.answers:
            await anyio.lowlevel.checkpoint()
    assert peer.answers == ["真"]


async def test_only_its_own_first_answer_counts() -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        question = await peer.next()
        for odd in (0, 1, "srv-99", None):
            peer.send(id=odd, result="其他")
        peer.send(id=question["id"], result="first")
        peer.send(id=question["id"], result="second")
        while not peer.answers:
            await anyio.lowlevel.checkpoint()
        peer.send(id=question["id"], result="third")
        peer.send(id=1, method="ping")
        assert await peer.next() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert peer.answers == ["first"]


async def test_each_question_has_an_id_of_its_own() -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        peer.connection.start(peer.ask)
        first, second = await peer.next(), await peer.next()
        assert first["id"] != second["id"]
        peer.send(id=second["id"], result="乙")
        peer.send(id=first["id"], result="甲")
        while len(peer.answers) < 2:
            await anyio.lowlevel.checkpoint()
    assert peer.answers == ["乙", "甲"]


async def test_a_question_that_nobody_answers_is_withdrawn() -> None:
    async with connected() as peer:
        await peer.ask(timeout_s=0)
        question, withdrawn = await peer.next(), await peer.next()
        assert peer.answers == ["host.执行: no answer within 0 s"]
        assert withdrawn["params"] == {"id": question["id"]}
        assert "id" not in withdrawn


async def test_a_question_ends_when_the_peer_leaves() -> None:
    async with connected() as peer:
        peer.connection.start(peer.ask)
        await peer.next()
        peer.transport.close()
        await peer.connection.closing()
        while not peer.answers:
            await anyio.lowlevel.checkpoint()
    assert peer.answers == ["host.执行: the peer has closed the connection"]


async def test_work_beside_the_requests_ends_with_the_connection() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("ended")

    async with connected() as peer:
        peer.connection.start(work)
        await anyio.lowlevel.checkpoint()
        assert ended == []
    assert ended == ["ended"]


async def test_before_it_runs_a_connection_starts_nothing() -> None:
    _, ours = memory_pair()
    Connection(ours).start(anyio.sleep_forever)


async def test_what_can_be_missed_is_not_sent_to_a_peer_that_does_not_read() -> None:
    async with connected() as peer:
        peer.connection.offer("进度", {"n": 1})
        peer.connection.notify("event", {"text": "x" * ENOUGH_QUEUED})
        peer.connection.offer("进度", {"n": 2})
        assert [(await peer.next())["method"] for _ in range(2)] == ["进度", "event"]
        await peer.connection.ready()
        peer.connection.offer("进度", {"n": 3})
        assert (await peer.next())["params"] == {"n": 3}
