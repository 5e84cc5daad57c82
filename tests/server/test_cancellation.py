"""What a cancelled call does, and what it does no longer."""

import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from tests.server.conftest import Client, comes_true, connected, text_of, timeline_of

from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool


class NoInput(ToolInput):
    pass


class Gate:
    """Tools that say when they have started, and wait."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.release = threading.Event()
        self.done: list[str] = []

    def tool(self, kind: str) -> ToolDefinition:
        kinds: dict[str, Callable[[], ToolDefinition]] = {
            "waiting": self.waiting,
            "deaf": self.deaf,
            "cleaning": self.cleaning,
            "blocking": lambda: self.blocking(lambda: "late"),
            "crashing": lambda: self.blocking(boom),
        }
        return kinds[kind]()

    def waiting(self) -> ToolDefinition:
        @tool(READ)
        async def wait(args: NoInput, ctx: ToolContext) -> str:
            """Wait on the event loop."""
            self.started.set()
            await anyio.sleep_forever()
            return "never"

        return wait

    def blocking(self, ending: Callable[[], str]) -> ToolDefinition:
        @tool(READ)
        def wait(args: NoInput, ctx: ToolContext) -> str:
            """Wait in a thread."""
            self.started.set()
            self.release.wait(10)
            try:
                return ending()
            finally:
                self.done.append("thread")

        return wait

    def cleaning(self) -> ToolDefinition:
        @tool(READ)
        async def wait(args: NoInput, ctx: ToolContext) -> str:
            """Wait, and clean up behind a shield."""
            try:
                self.started.set()
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.lowlevel.checkpoint()
                    self.done.append("cleaned")
            return "never"

        return wait

    def deaf(self) -> ToolDefinition:
        @tool(READ)
        async def wait(args: NoInput, ctx: ToolContext) -> str:
            """Take a cancellation for an error of its own."""
            self.started.set()
            try:
                await anyio.sleep_forever()
            except BaseException as exc:
                raise ValueError("wrapped") from exc
            return "never"

        return wait


async def started(client: Client, gate: Gate) -> int:
    call: int = client.start_call("wait")
    await comes_true(gate.started.is_set)
    return call


def cancel(client: Client, request_id: object) -> None:
    client.notify("notifications/cancelled", {"requestId": request_id, "reason": "不要了"})


def boom() -> str:
    raise RuntimeError("after the end")


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.mark.parametrize("kind", ["waiting", "deaf", "cleaning", "blocking", "crashing"])
async def test_a_cancelled_call_is_not_answered_and_leaves_no_failure(
    kind: str, gate: Gate, tmp_path: Path
) -> None:
    async with connected(tmp_path, gate.tool(kind)) as client:
        call = await started(client, gate)
        cancel(client, call)
        await client.settle()
        gate.release.set()
        await anyio.wait_all_tasks_blocked()
        await client.settle()
        assert client.replies(call) == []
        assert [event.type for event in client.events()] == []
    assert timeline_of(tmp_path) == []


async def test_cleanup_behind_a_shield_is_done(gate: Gate, tmp_path: Path) -> None:
    async with connected(tmp_path, gate.cleaning()) as client:
        cancel(client, await started(client, gate))
        await comes_true(lambda: bool(gate.done))


async def test_a_thread_whose_call_was_cancelled_ends_by_itself(gate: Gate, tmp_path: Path) -> None:
    async with connected(tmp_path, gate.blocking(boom)) as client:
        cancel(client, await started(client, gate))
        await client.settle()
        gate.release.set()
        await comes_true(lambda: bool(gate.done))


async def test_a_call_that_is_cancelled_before_it_starts_does_nothing(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        call = client.start_call("timeline_append", {"event": "太早"})
        cancel(client, call)
        await client.settle()
        assert client.replies(call) == []
    assert timeline_of(tmp_path) == []


@pytest.mark.parametrize("odd", ["1", 99, None, True, 1.5, [], {}, "\ud800"])
async def test_cancelling_something_else_cancels_nothing(
    odd: object, gate: Gate, tmp_path: Path
) -> None:
    async with connected(tmp_path, gate.blocking(lambda: "完")) as client:
        client.start_call("wait", request_id=1)
        await comes_true(gate.started.is_set)
        cancel(client, odd)
        await client.settle()
        gate.release.set()
        assert text_of((await client.reply(1))["result"]) == "完"


async def test_cancelling_twice_and_after_the_end_is_harmless(gate: Gate, tmp_path: Path) -> None:
    async with connected(tmp_path, gate.waiting()) as client:
        call = await started(client, gate)
        for _ in range(3):
            cancel(client, call)
        await client.settle()
        cancel(client, call)
        done = client.start_call("timeline_append", {"event": "e"})
        await client.reply(done)
        cancel(client, done)
        await client.settle()
        assert len(client.replies(done)) == 1
        assert client.replies(call) == []


async def test_an_id_is_free_again_after_its_call_was_cancelled(gate: Gate, tmp_path: Path) -> None:
    async with connected(tmp_path, gate.waiting()) as client:
        client.start_call("wait", request_id="甲")
        await comes_true(gate.started.is_set)
        cancel(client, "甲")
        await client.settle()
        client.start("ping", request_id="甲")
        assert (await client.reply("甲"))["result"] == {}


@pytest.mark.parametrize("blocking", [True, False])
async def test_a_cancel_that_races_the_end_makes_no_second_answer(
    blocking: bool, tmp_path: Path
) -> None:
    def quick(args: NoInput, ctx: ToolContext) -> str:
        """Answer at once."""
        return "快"

    async def quick_async(args: NoInput, ctx: ToolContext) -> str:
        """Answer after a moment."""
        await anyio.lowlevel.checkpoint()
        return "快"

    quick_async.__name__ = "quick"
    async with connected(tmp_path, tool(READ)(quick if blocking else quick_async)) as client:
        for number in range(1000, 1200):
            client.start_call("quick", request_id=number)
            for _ in range(number % 8):
                await anyio.lowlevel.checkpoint()
            cancel(client, number)
        # Whatever still runs was cancelled, so that a call that waits for it is answered after it.
        assert text_of(await client.call("quick")) == "快"
        await client.settle()
        answers = [len(client.replies(number)) for number in range(1000, 1200)]
    assert set(answers) == {0, 1}


async def test_the_end_of_input_cuts_short_what_still_runs(gate: Gate, tmp_path: Path) -> None:
    async with connected(tmp_path, gate.cleaning()) as client:
        await started(client, gate)
    assert gate.done == ["cleaned"]
