"""Several agents over one connection: what one of them floods keeps no other waiting."""

import anyio
import pytest
from tests.server.plain.conftest import Connect

from devloop_tools.app import MAX_TOOL_THREADS
from devloop_tools.protocol.errors import RpcError
from devloop_tools.server.turns import Turns

FLOOD = {"agent": "architect"}
OTHER = {"agent": "pm"}


async def test_calls_that_keep_every_thread_busy_keep_no_other_agent_waiting(
    connect: Connect,
) -> None:
    async with connect(agent=None, host=True) as host:
        flood = [
            host.start_tool("plain_block", {"path": "文件"}, ctx=FLOOD)
            for _ in range(MAX_TOOL_THREADS + 40)
        ]
        # The flood waits for this file: behind it, it would never be written.
        with anyio.fail_after(10):
            await host.execute("plain_touch", {"path": "文件"}, ctx=OTHER)
            replies = [await host.reply(request) for request in flood]
    assert all(reply["result"] == {"ok": True, "text": "there"} for reply in replies)


async def test_room_is_shared_by_all_who_flood_and_comes_back_with_their_answers() -> None:
    turns = Turns(most_open=8)
    async with anyio.create_task_group() as tasks:
        opened: list[str] = []

        async def call(agent: str) -> None:
            async with turns.of(agent, works=False):
                opened.append(agent)
                await anyio.sleep_forever()

        for agent in ("a", "b"):
            for _ in range(3):
                tasks.start_soon(call, agent)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(RpcError, match="3 calls of a are open; await answers"):
            async with turns.of("a", works=False):
                pass
        async with turns.of("c", works=True):
            assert sorted(opened) == ["a", "a", "a", "b", "b", "b"]
        tasks.cancel_scope.cancel()
    async with turns.of("a", works=True):
        pass


async def test_a_single_agent_has_all_threads_for_itself(connect: Connect) -> None:
    async with connect() as host:
        flood = [host.start_tool("plain_block", {"path": "文件"}) for _ in range(100)]
        with anyio.fail_after(10):
            await host.execute("plain_touch", {"path": "文件"})
            for request in flood:
                await host.reply(request)
