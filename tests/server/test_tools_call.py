"""tools/call: from MCP's params to a call, and from its outcome to MCP's result."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from tests.server.conftest import comes_true, connected, text_of, timeline_of

from devloop_tools.app import MAX_TOOL_THREADS
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class NoInput(ToolInput):
    pass


class Optional(ToolInput):
    word: str = Field(default="无", max_length=100, description="A word.")


@tool(READ)
async def tell(args: Optional, ctx: ToolContext) -> str:
    """Tell what came."""
    return f"{args.word} {ctx.call_id}"


@pytest.mark.parametrize(
    "name", ["no_such_tool", "Bash", "Tell", "不存在", "", "\ud800", "record_memory"]
)
async def test_an_unknown_and_a_forbidden_tool_read_the_same(name: str, tmp_path: Path) -> None:
    async with connected(tmp_path, tell, granted=["tell", "Bash", "Read"]) as client:
        error = await client.error("tools/call", {"name": name, "arguments": {}})
    assert error == {"code": -32602, "message": f"Unknown tool: {name}"}
    assert timeline_of(tmp_path) == []


@pytest.mark.parametrize(
    "params", [{}, {"name": None}, {"name": 42}, {"name": ["tell"]}, {"arguments": {}}]
)
async def test_a_name_that_is_no_text_is_a_bad_param(
    params: dict[str, Any], tmp_path: Path
) -> None:
    async with connected(tmp_path, tell) as client:
        error = await client.error("tools/call", params)
    assert error["code"] == -32602
    assert error["message"].startswith("name: ")


@pytest.mark.parametrize("arguments", [[], "{}", 0, True, 1.5])
async def test_arguments_that_are_no_object_are_a_bad_param(
    arguments: object, tmp_path: Path
) -> None:
    async with connected(tmp_path, tell) as client:
        error = await client.error("tools/call", {"name": "tell", "arguments": arguments})
    assert error == {"code": -32602, "message": "arguments: an object is expected"}


@pytest.mark.parametrize("params", [{"name": "tell"}, {"name": "tell", "arguments": None}])
async def test_arguments_may_be_absent_or_null(params: dict[str, Any], tmp_path: Path) -> None:
    async with connected(tmp_path, tell) as client:
        result = await client.result("tools/call", params)
    assert text_of(result).startswith("无 call-")


@pytest.mark.parametrize(
    "meta",
    [None, [], "meta", 5, {}, {"claudecode/toolUseId": 7}, {"claudecode/toolUseId": ""},
     {"claudecode/toolUseId": "\ud800"}, {"progressToken": {}}, {"progressToken": 1.5}],
)  # fmt: skip
async def test_an_odd_meta_changes_nothing(meta: object, tmp_path: Path) -> None:
    async with connected(tmp_path, tell) as client:
        result = await client.call("tell", {"word": "词"}, meta)
        assert len(client.received) == 1
    assert text_of(result).startswith("词 call-")


async def test_a_tool_use_id_is_the_id_of_the_call(tmp_path: Path) -> None:
    async with connected(tmp_path, tell) as client:
        result = await client.call("tell", {}, {"claudecode/toolUseId": "toolu_01甲"})
        assert text_of(result) == "无 toolu_01甲"
        await client.call("timeline_append", {"event": "e"}, {"claudecode/toolUseId": "toolu_2"})
        by_call = {event.call_id: event.type for event in client.events()}
    assert by_call["toolu_2"] in ("timeline.appended", "tool.called")
    assert [line["call_id"] for line in timeline_of(tmp_path)] == ["toolu_2"]


async def test_ids_of_calls_without_one_sort_by_time(tmp_path: Path) -> None:
    async with connected(tmp_path, tell) as client:
        texts = [text_of(await client.call("tell")) for _ in range(50)]
    assert texts == sorted(texts)
    assert len(set(texts)) == 50


@pytest.mark.parametrize("request_id", [0, -3, 2**63 - 1, "", "1", "请求", "\ud800"])
async def test_a_reply_carries_the_id_of_its_request(request_id: object, tmp_path: Path) -> None:
    async with connected(tmp_path, tell) as client:
        client.start_call("tell", {}, request_id=request_id)
        reply = await client.reply(request_id)
    assert reply["result"]["isError"] is False


async def test_text_of_every_script_comes_back_as_it_went(tmp_path: Path) -> None:
    word = '甲\u2028乙\u2029丙\u0085丁 "quoted" \\ \x00\t😀'
    async with connected(tmp_path, tell) as client:
        client.start_call("tell", {"word": word}, {"claudecode/toolUseId": "t"}, request_id=1)
        assert text_of((await client.reply(1))["result"]) == f"{word} t"


async def test_a_null_for_an_optional_argument_and_an_object_as_text_are_taken(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path, tell) as client:
        assert text_of(await client.call("tell", {"word": None})).startswith("无 ")
        stringified = {"event": "e", "data": json.dumps({"键": "值"})}
        assert (await client.call("timeline_append", stringified))["isError"] is False
    assert timeline_of(tmp_path)[0]["data"] == {"键": "值"}


async def test_a_blocking_tool_does_not_keep_a_ping_or_another_call_waiting(
    tmp_path: Path,
) -> None:
    release = threading.Event()

    @tool(READ)
    def block(args: NoInput, ctx: ToolContext) -> str:
        """Wait."""
        return str(release.wait(10))

    async with connected(tmp_path, block, tell) as client:
        blocked = client.start_call("block")
        assert await client.result("ping") == {}
        assert (await client.call("tell"))["isError"] is False
        assert client.replies(blocked) == []
        release.set()
        assert text_of((await client.reply(blocked))["result"]) == "True"


async def test_more_blocking_calls_than_threads_wait_for_their_turn(tmp_path: Path) -> None:
    release, started = threading.Event(), threading.Semaphore(0)

    @tool(READ)
    def block(args: NoInput, ctx: ToolContext) -> str:
        """Wait."""
        started.release()
        return str(release.wait(10))

    async with connected(tmp_path, block) as client:
        calls = [client.start_call("block") for _ in range(MAX_TOOL_THREADS + 20)]
        for _ in range(MAX_TOOL_THREADS):
            await comes_true(lambda: started.acquire(blocking=False))
        waiting = calls[-1]
        client.notify("notifications/cancelled", {"requestId": waiting})
        # Failures are reported in threads of their own, so that they don't wait for the tools.
        assert (await client.call("timeline_append", {"evemt": "e"}))["isError"] is True
        assert not started.acquire(blocking=False)
        release.set()
        for call in calls[:-1]:
            await client.reply(call)
        assert client.replies(waiting) == []
