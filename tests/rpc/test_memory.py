"""The transport between two ends in one process."""

import anyio

from devloop_tools.rpc.memory import memory_pair
from devloop_tools.rpc.transport import ENOUGH_QUEUED


async def test_lines_arrive_in_order_and_then_the_end() -> None:
    left, right = memory_pair()
    left.send("甲\n".encode())
    left.send(b"2\n")
    left.close()
    assert [await right.receive() for _ in range(3)] == ["甲\n".encode(), b"2\n", None]


async def test_each_end_hears_only_the_other() -> None:
    left, right = memory_pair()
    left.send(b"left")
    right.send(b"right")
    assert (await left.receive(), await right.receive()) == (b"right", b"left")


async def test_a_full_lane_makes_its_sender_wait_until_the_peer_reads() -> None:
    left, right = memory_pair()
    left.send(bytes(ENOUGH_QUEUED + 1))
    assert left.is_full()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(left.ready)
            await anyio.wait_all_tasks_blocked()
            assert len(await right.receive() or b"") == ENOUGH_QUEUED + 1
    assert not left.is_full()
    await left.flush()
