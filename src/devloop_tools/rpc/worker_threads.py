"""Threads for work that blocks, with few steps between the event loop and the work.

The way through `anyio.to_thread` takes two turns of the event loop more, which a tool that writes
a small file would feel.
"""

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class WorkerThreads:
    """At most `most` threads at work; more work waits its turn. For one event loop's thread.

    A thread is kept for the next piece of work, and ends when nobody holds this any more. They are
    daemons: work that never ends keeps no process alive.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads = 0
        self._idle: list[_Worker] = []
        self._waiting: deque[_Job] = deque()
        weakref.finalize(self, _end_all, self._idle)

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises, run in a thread with the caller's context variables.

        A cancelled caller waits no longer: work that has begun goes on, and its result is dropped.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, copy_context(), loop.create_future())
        if self._idle:
            self._idle.pop().take(job)
        elif self._threads < self._most:
            self._threads += 1
            _Worker(loop, weakref.WeakMethod(self._free)).take(job)
        else:
            self._waiting.append(job)
        await job.settled
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def _free(self, worker: "_Worker") -> None:
        while self._waiting:
            job = self._waiting.popleft()
            if not job.settled.cancelled():
                worker.take(job)
                return
        self._idle.append(worker)


class _Job:
    """One piece of work, and who waits for it."""

    def __init__(
        self, work: Callable[[], Any], context: Context, settled: asyncio.Future[None]
    ) -> None:
        self.settled = settled
        self.result: Any = None
        self.error: BaseException | None = None
        self._work = work
        self._context = context

    def run(self) -> None:
        try:
            self.result = self._context.run(self._work)
        except BaseException as exc:
            # Whatever the work raises belongs to the one who waits for it.
            self.error = exc

    def settle(self) -> None:
        if not self.settled.cancelled():
            self.settled.set_result(None)


class _Worker:
    """One thread, which works off what it takes."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        free: "weakref.WeakMethod[Callable[[_Worker], None]]",
    ) -> None:
        self._loop = loop
        self._free = free
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name="devloop-tools worker").start()

    def take(self, job: _Job) -> None:
        self._jobs.put(job)

    def end(self) -> None:
        self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            job.run()
            try:
                self._loop.call_soon_threadsafe(self._done, job)
            except RuntimeError:
                # The loop has ended meanwhile: nobody waits, and no more work comes.
                return
            # What was done is not kept until the next piece of work.
            del job

    def _done(self, job: _Job) -> None:
        if free := self._free():
            free(self)
        else:
            self.end()
        job.settle()


def _end_all(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.end()
