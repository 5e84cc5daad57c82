"""One duplex connection: a task a request, cancelling, answering in one place."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from devloop_tools.protocol.messages import JsonObject, Notification, Request
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair
from devloop_tools.rpc.process import GRACE_S


class Script:
    """A handler whose methods do what their names say; `cancel` is a notification."""

    def __init__(self, *, takes_batches: bool) -> None:
        self.connection: Connection
        self.takes_batches = takes_batches
        self.release = anyio.Event()
        self.ran: list[object] = []
        self.cleaned: list[object] = []

    async def request(self, request: Request) -> JsonObject:
        self.ran.append(request.id)
        match request.method:
            case "wait":
                await self.release.wait()
            case "deaf":
                try:
                    await anyio.sleep_forever()
                except anyio.get_cancelled_exc_class():
                    return {"result": "I did it all the same"}
            case "shielded":
                try:
                    await anyio.sleep_forever()
                finally:
                    with anyio.CancelScope(shield=True):
                        await self.release.wait()
                        self.cleaned.append(request.id)
            case "odd":
                return {"result": object()}
        return {"result": request.params}

    def notification(self, notification: Notification) -> None:
        self.connection.cancel(notification.params.get("requestId"))


class Peer:
    """The other end."""

    def __init__(self, transport: MemoryTransport, connection: Connection, script: Script) -> None:
        self.transport, self.connection, self.script = transport, connection, script

    def send(self, *messages: object) -> None:
        for message in messages:
            self.transport.send(json.dumps(message).encode())

    async def next(self) -> Any:
        line = await self.transport.receive()
        return None if line is None else json.loads(line)

    async def settled(self) -> list[Any]:
        """All that is said until a call with the id "end" is answered."""
        self.send(call("end", "echo"))
        said = []
        while (message := await self.next()) != {"jsonrpc": "2.0", "id": "end", "result": {}}:
            said.append(message)
        return said


@asynccontextmanager
async def served(*, takes_batches: bool = False, max_in_flight: int = 100) -> AsyncIterator[Peer]:
    theirs, ours = memory_pair()
    connection = Connection(ours, max_in_flight=max_in_flight)
    script = Script(takes_batches=takes_batches)
    script.connection = connection
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run, script)
            yield Peer(theirs, connection, script)
            script.release.set()
            theirs.close()


def call(request_id: object, method: str, **params: object) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def cancel(request_id: object) -> JsonObject:
    return {"jsonrpc": "2.0", "method": "cancel", "params": {"requestId": request_id}}


def result(request_id: object, value: object) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


async def test_a_quick_call_is_answered_while_a_slow_one_runs() -> None:
    async with served() as peer:
        peer.send(call(1, "wait"), call(2, "echo", text="甲"))
        assert await peer.next() == result(2, {"text": "甲"})
        peer.script.release.set()
        assert await peer.next() == result(1, {})


async def test_a_cancelled_call_is_not_answered_and_the_next_one_is() -> None:
    async with served() as peer:
        peer.send(call(1, "wait"), call(2, "echo"))
        assert await peer.next() == result(2, {})
        peer.send(cancel(1))
        assert await peer.settled() == []


async def test_a_call_that_is_cancelled_before_it_starts_never_runs() -> None:
    async with served() as peer:
        peer.send(call(1, "echo"), cancel(1))
        assert await peer.settled() == []
        assert peer.script.ran == ["end"]


async def test_a_call_that_ignores_its_cancellation_is_not_answered_either() -> None:
    async with served() as peer:
        peer.send(call(1, "deaf"), call(2, "echo"))
        assert await peer.next() == result(2, {})
        peer.send(cancel(1))
        assert await peer.settled() == []
        peer.send(call(1, "echo"))
        assert await peer.next() == result(1, {})


async def test_cleanup_behind_a_shield_runs_to_its_end() -> None:
    async with served() as peer:
        peer.send(call(1, "shielded"))
        assert await peer.settled() == []
        peer.send(cancel(1))
        assert await peer.settled() == []
        peer.script.release.set()
        assert await peer.settled() == []
        assert peer.script.cleaned == [1]


@pytest.mark.parametrize("odd", [1, "1", None, True, 1.0, [], {}, "不存在"])
async def test_an_id_that_is_not_in_flight_cancels_nothing(odd: object) -> None:
    async with served() as peer:
        waiting = call("1" if odd == 1 and not isinstance(odd, str) else 1, "wait")
        peer.send(waiting, call(2, "echo"))
        await peer.next()
        peer.send(cancel(odd), cancel(odd))
        assert await peer.settled() == []
        peer.script.release.set()
        assert await peer.next() == result(waiting["id"], {})


async def test_cancelling_twice_and_after_the_answer_changes_nothing() -> None:
    async with served() as peer:
        peer.send(call(1, "echo"))
        assert await peer.next() == result(1, {})
        peer.send(cancel(1), call(2, "wait"), cancel(2), cancel(2))
        assert await peer.settled() == []


async def test_a_number_and_its_text_are_different_ids() -> None:
    async with served() as peer:
        peer.send(call(1, "wait"), call("1", "wait"), call(0, "echo"))
        assert await peer.next() == result(0, {})
        peer.send(cancel("1"))
        assert await peer.settled() == []
        peer.script.release.set()
        assert await peer.next() == result(1, {})


async def test_an_id_in_flight_is_refused_and_free_again_after_its_answer() -> None:
    async with served() as peer:
        peer.send(call("甲", "wait"), call("甲", "echo"))
        refusal = await peer.next()
        assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)
        peer.script.release.set()
        assert await peer.next() == result("甲", {})
        peer.send(call("甲", "echo"))
        assert await peer.next() == result("甲", {})


async def test_a_lone_surrogate_in_an_id_comes_back() -> None:
    async with served() as peer:
        peer.send(call("\ud800", "echo", text="\udfff"), {"id": "\ud800"})
        assert (await peer.next())["error"]["code"] == -32600
        assert await peer.next() == result("\ud800", {"text": "\udfff"})


async def test_a_result_that_is_not_json_is_an_internal_error_and_the_server_lives() -> None:
    async with served() as peer:
        peer.send(call("\ud800", "odd"))
        message = await peer.next()
        assert (message["id"], message["error"]["code"]) == ("\ud800", -32603)
        assert await peer.settled() == []


async def test_more_open_requests_than_anybody_needs_are_refused() -> None:
    async with served(max_in_flight=3) as peer:
        peer.send(*(call(number, "wait") for number in range(4)))
        refusal = await peer.next()
        assert (refusal["id"], refusal["error"]["code"]) == (3, -32600)
        peer.script.release.set()
        assert sorted([(await peer.next())["id"] for _ in range(3)]) == [0, 1, 2]
        assert await peer.settled() == []


async def test_an_answer_to_nothing_is_ignored() -> None:
    async with served() as peer:
        peer.send(
            {"jsonrpc": "2.0", "id": 9, "result": {}}, {"jsonrpc": "2.0", "id": None, "error": {}}
        )
        assert await peer.settled() == []


async def test_a_cancel_that_races_the_answer_never_makes_two_and_never_ends_the_server() -> None:
    async with served() as peer:
        for number in range(200):
            peer.send(call(number, "echo"))
            for _ in range(number % 5):
                await anyio.lowlevel.checkpoint()
            peer.send(cancel(number))
        answered = [message["id"] for message in await peer.settled()]
        assert len(answered) == len(set(answered))
        assert 0 < len(answered) < 200


async def test_all_replies_of_a_batch_leave_in_one_array() -> None:
    async with served(takes_batches=True) as peer:
        peer.send([call(1, "wait"), cancel(7), 5, call(2, "echo"), call(1, "echo")])
        assert await peer.settled() == []
        peer.script.release.set()
        batch = await peer.next()
        answered = [(message["id"], "error" in message) for message in batch]
        assert sorted(answered, key=repr) == [(1, False), (2, False), (None, True), (None, True)]


@pytest.mark.parametrize(
    "batch",
    [
        [cancel(1)],
        [cancel(1), cancel("甲")],
        [call(1, "wait"), cancel(1)],
        [call(1, "echo"), cancel(1)],
    ],
)
async def test_a_batch_that_needs_no_reply_gets_none(batch: object) -> None:
    async with served(takes_batches=True) as peer:
        peer.send(batch)
        assert await peer.settled() == []


async def test_a_cancelled_item_does_not_hold_up_the_others() -> None:
    async with served(takes_batches=True) as peer:
        peer.send([call(1, "wait"), call(2, "echo")], cancel(1))
        assert await peer.next() == [result(2, {})]


async def test_an_item_whose_result_is_not_json_does_not_hold_up_the_others() -> None:
    async with served(takes_batches=True) as peer:
        peer.send([call(1, "odd"), call("\ud800", "echo")])
        odd, good = await peer.next()
        assert (odd["id"], odd["error"]["code"]) == (1, -32603)
        assert good == result("\ud800", {})


@pytest.mark.parametrize("takes_batches", [True, False])
async def test_an_empty_batch_is_an_invalid_request(takes_batches: bool) -> None:
    async with served(takes_batches=takes_batches) as peer:
        peer.send([])
        message = await peer.next()
        assert (message["id"], message["error"]["code"]) == (None, -32600)


async def test_a_batch_is_refused_whole_where_the_revision_has_none() -> None:
    async with served() as peer:
        peer.send([call(1, "echo"), call(2, "echo")])
        [message] = await peer.settled()
        assert (message["id"], message["error"]["code"]) == (None, -32600)
        assert peer.script.ran == ["end"]


async def test_what_runs_at_the_end_of_input_has_its_grace() -> None:
    theirs, ours = memory_pair()
    closing: list[str] = []
    connection = Connection(ours, on_closing=lambda: closing.append("closing"))
    script = Script(takes_batches=False)
    script.connection = connection
    theirs.send(json.dumps(call(1, "wait")).encode())
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run, script)
            await anyio.wait_all_tasks_blocked()
            connection.stop()
            connection.stop()
            await anyio.wait_all_tasks_blocked()
            script.release.set()
        line = await theirs.receive()
    assert line is not None
    assert json.loads(line) == result(1, {})
    assert closing == ["closing"]


async def test_what_runs_longer_than_its_grace_is_cut_short() -> None:
    theirs, ours = memory_pair()
    script = Script(takes_batches=False)
    script.connection = Connection(ours)
    theirs.send(json.dumps(call(1, "wait")).encode())
    with anyio.fail_after(GRACE_S + 2):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(script.connection.run, script)
            await anyio.wait_all_tasks_blocked()
            theirs.close()
    assert script.ran == [1]
