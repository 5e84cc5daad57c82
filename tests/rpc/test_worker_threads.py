"""Work that blocks: its result, its errors, its turn, and what a cancel does to it."""

import asyncio
import gc
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial

import anyio
import anyio.lowlevel
import pytest

from devloop_tools.rpc.worker_threads import WorkerThreads

_name: ContextVar[str] = ContextVar("_name")


async def _until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(10):
        while not condition():  # noqa: ASYNC110 - a thread's end sets no event
            await anyio.sleep(0.005)


def _workers() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name == "devloop-tools worker"}


async def test_work_runs_in_another_thread_that_is_used_again() -> None:
    threads = WorkerThreads(4)
    ran_in = [await threads.run(threading.get_ident) for _ in range(3)]
    assert len(set(ran_in)) == 1
    assert threading.get_ident() not in ran_in


async def test_context_variables_come_along_and_stay_apart() -> None:
    threads = WorkerThreads(1)
    _name.set("甲 A")
    assert await threads.run(_name.get) == "甲 A"
    await threads.run(lambda: _name.set("changed"))
    assert _name.get() == "甲 A"


@pytest.mark.parametrize("error", [ValueError("坏 bad"), SystemExit(3), KeyboardInterrupt()])
async def test_what_the_work_raises_reaches_the_caller_and_the_thread_lives(
    error: BaseException,
) -> None:
    threads = WorkerThreads(1)

    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        await threads.run(fail)
    assert caught.value is error
    assert await threads.run(lambda: "alive") == "alive"


async def test_the_end_of_an_iteration_is_an_error_like_another() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await WorkerThreads(1).run(lambda: next(iter(())))


async def test_no_more_threads_work_than_are_allowed_and_all_work_is_done() -> None:
    threads, lock, now, most = WorkerThreads(3), threading.Lock(), 0, 0

    def work(number: int) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1
        return number

    results = await asyncio.gather(*(threads.run(partial(work, n)) for n in range(20)))
    assert results == list(range(20))
    assert most == 3


async def test_a_cancelled_caller_waits_no_longer_and_the_work_goes_on() -> None:
    threads, release, done = WorkerThreads(2), threading.Event(), threading.Event()

    def work() -> None:
        release.wait(10)
        done.set()

    with anyio.move_on_after(0.05) as scope:
        await threads.run(work)
    assert scope.cancelled_caught
    assert not done.is_set()
    release.set()
    await _until(done.is_set)
    assert await threads.run(lambda: "next") == "next"


async def test_work_whose_caller_left_before_its_turn_is_not_begun() -> None:
    threads, release, begun = WorkerThreads(1), threading.Event(), list[str]()
    first = asyncio.create_task(threads.run(lambda: release.wait(10)))
    await anyio.lowlevel.checkpoint()
    left = asyncio.create_task(threads.run(lambda: begun.append("left")))
    stays = asyncio.create_task(threads.run(lambda: begun.append("stays")))
    await anyio.lowlevel.checkpoint()
    left.cancel()
    release.set()
    await asyncio.gather(first, stays)
    assert begun == ["stays"]


async def test_threads_end_when_nobody_holds_them_idle_or_at_work() -> None:
    before, release = _workers(), threading.Event()
    threads = WorkerThreads(2)
    with anyio.move_on_after(0.02):
        await threads.run(lambda: release.wait(10))
    await threads.run(lambda: None)
    assert len(_workers() - before) == 2
    del threads
    gc.collect()
    await _until(lambda: len(_workers() - before) == 1)
    release.set()
    await _until(lambda: not _workers() - before)


def test_a_thread_whose_loop_has_ended_ends_after_its_work() -> None:
    before, release = _workers(), threading.Event()
    threads = WorkerThreads(1)

    async def leave() -> None:
        with anyio.move_on_after(0.02):
            await threads.run(lambda: release.wait(10))

    asyncio.run(leave())
    [worker] = _workers() - before
    assert worker.daemon
    release.set()
    worker.join(10)
    assert not worker.is_alive()
