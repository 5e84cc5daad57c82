"""Progress of one call, from any thread, to the client that asked for it."""

import math
import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server.conftest import Client, comes_true, connected, text_of

from devloop_tools.rpc.transport import ENOUGH_QUEUED
from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool
from devloop_tools.toolkit.context import Progress


class NoInput(ToolInput):
    pass


def reporting(report: Callable[[Progress], None], *, blocking: bool = False) -> ToolDefinition:
    """A tool that reports, and then answers."""

    def work(args: NoInput, ctx: ToolContext) -> str:
        """Work in a thread."""
        report(ctx.progress)
        return "完"

    async def work_async(args: NoInput, ctx: ToolContext) -> str:
        """Work on the event loop."""
        report(ctx.progress)
        return "完"

    work_async.__name__ = "work"
    return tool(READ)(work if blocking else work_async)


async def heard(client: Client, token: object) -> list[Any]:
    """The params of the notifications that came before the reply."""
    call = client.start_call("work", {}, {"progressToken": token})
    assert text_of((await client.reply(call))["result"]) == "完"
    assert client.received[-1]["id"] == call
    assert {message["method"] for message in client.notifications} <= {"notifications/progress"}
    return [message["params"] for message in client.notifications]


def three_steps(progress: Progress) -> None:
    for step in (1, 2, 3):
        progress.report(step, 3, f"第 {step} 步")


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("token", [0, 2, -1, "", "令牌", "\ud800"])
async def test_each_step_is_told_before_the_reply(
    token: object, blocking: bool, tmp_path: Path
) -> None:
    async with connected(tmp_path, reporting(three_steps, blocking=blocking)) as client:
        steps = await heard(client, token)
    assert [step["progressToken"] for step in steps] == [token] * 3
    assert [(step["progress"], step["total"], step["message"]) for step in steps] == [
        (1, 3, "第 1 步"),
        (2, 3, "第 2 步"),
        (3, 3, "第 3 步"),
    ]


@pytest.mark.parametrize("token", [None, True, False, 1.5, [], {}, [0]])
async def test_without_a_token_nothing_is_told(token: object, tmp_path: Path) -> None:
    async with connected(tmp_path, reporting(three_steps)) as client:
        assert await heard(client, token) == []


async def test_only_what_rises_is_told(tmp_path: Path) -> None:
    values = [1, 1, 0, -5, math.nan, math.inf, -math.inf, 1.5, 1.5, 2]

    def report(progress: Progress) -> None:
        for value in values:
            progress.report(value)

    async with connected(tmp_path, reporting(report)) as client:
        steps = await heard(client, 7)
    assert [step["progress"] for step in steps] == [1, 1.5, 2]
    assert all("total" not in step and "message" not in step for step in steps)


@pytest.mark.parametrize("total", [math.nan, math.inf, None])
async def test_a_total_that_is_no_number_is_left_out(total: float | None, tmp_path: Path) -> None:
    async with connected(tmp_path, reporting(lambda p: p.report(1, total))) as client:
        assert await heard(client, 7) == [{"progressToken": 7, "progress": 1}]


async def test_a_message_can_be_shown(tmp_path: Path) -> None:
    def report(progress: Progress) -> None:
        progress.report(1, message="文件 b\udcff " + "x" * 100_000)

    async with connected(tmp_path, reporting(report)) as client:
        [step] = await heard(client, 7)
    assert step["message"].startswith("文件 b? x")
    assert len(step["message"]) == 2000


async def test_progress_that_is_not_json_is_a_fault_of_the_tool(tmp_path: Path) -> None:
    report: Callable[[Any], None] = lambda p: p.report(Decimal(1))  # noqa: E731 - typed
    async with connected(tmp_path, reporting(report, blocking=True)) as client:
        result = await client.call("work", {}, {"progressToken": 1})
        assert await client.result("ping") == {}
    assert result["isError"] is True


async def test_after_its_end_a_call_tells_nothing_more(tmp_path: Path) -> None:
    kept: list[Progress] = []
    async with connected(tmp_path, reporting(kept.append)) as client:
        assert await heard(client, 7) == []
        kept[0].report(1)
        await anyio.to_thread.run_sync(kept[0].report, 2)
        await client.settle()
        assert client.notifications == []


async def test_after_its_cancellation_a_call_tells_nothing_more(tmp_path: Path) -> None:
    started, release, done = threading.Event(), threading.Event(), threading.Event()

    def report(progress: Progress) -> None:
        started.set()
        release.wait(10)
        progress.report(1)
        done.set()

    async with connected(tmp_path, reporting(report, blocking=True)) as client:
        call = client.start_call("work", {}, {"progressToken": 7})
        await comes_true(started.is_set)
        client.notify("notifications/cancelled", {"requestId": call})
        await client.settle()
        release.set()
        await comes_true(done.is_set)
        await client.settle()
        assert client.notifications == []


async def test_a_client_that_does_not_read_is_not_told_everything(tmp_path: Path) -> None:
    message = "x" * 2000

    def report(progress: Progress) -> None:
        for step in range(2000):
            progress.report(step, message=message)

    async with connected(tmp_path, reporting(report)) as client:
        steps = await heard(client, 7)
    assert ENOUGH_QUEUED // 2200 < len(steps) < ENOUGH_QUEUED // 2000 + 2
