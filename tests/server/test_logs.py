"""Messages of tools to the client, and who hears them."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from tests.server.conftest import Client, connected, text_of

from devloop_tools.protocol.mcp import LOG_LEVELS, META_LOG_LEVEL
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class LogInput(ToolInput):
    level: str = Field(default="info", max_length=20, description="A level.")


@tool(READ)
async def log_all(args: LogInput, ctx: ToolContext) -> str:
    """Log once at each level."""
    for level in LOG_LEVELS:
        ctx.client.log(level, {"级别": level})
    return "好了 done"


@tool(READ)
def log_from_a_thread(args: LogInput, ctx: ToolContext) -> str:
    """Log at one level."""
    ctx.client.log(args.level, "从线程 from a thread")
    return "好了 done"


serving = partial(connected, version=None)
LOGGED = "notifications/message"


def levels(client: Client) -> list[str]:
    """The levels of the messages that have come."""
    return [note["params"]["level"] for note in client.notifications if note["method"] == LOGGED]


async def logged(client: Client, **meta: Any) -> list[str]:
    """The levels that a stateless call with this `_meta` hears."""
    before = len(levels(client))
    params = {"name": "log_all", "_meta": meta}
    assert text_of((await client.modern("tools/call", params))["result"]) == "好了 done"
    return levels(client)[before:]


async def test_a_message_says_who_what_and_how_bad(tmp_path: Path) -> None:
    async with serving(tmp_path, log_all) as client:
        await logged(client, **{META_LOG_LEVEL: "emergency"})
    assert client.notifications[0]["params"] == {
        "level": "emergency",
        "logger": "devloop-tools",
        "data": {"级别": "emergency"},
    }


@pytest.mark.parametrize("level", LOG_LEVELS)
async def test_a_stateless_call_hears_what_it_asked_for(tmp_path: Path, level: str) -> None:
    async with serving(tmp_path, log_all) as client:
        heard = await logged(client, **{META_LOG_LEVEL: level})
    assert heard == list(LOG_LEVELS[LOG_LEVELS.index(level) :])


@pytest.mark.parametrize("meta", [{}, {META_LOG_LEVEL: "大声 loud"}, {META_LOG_LEVEL: 1}])
async def test_a_stateless_call_that_asked_for_none_hears_none(
    tmp_path: Path, meta: JsonObject
) -> None:
    async with serving(tmp_path, log_all) as client:
        await client.shake_hands()
        await client.result("logging/setLevel", {"level": "debug"})
        assert await logged(client, **meta) == []


async def test_each_stateless_call_has_its_own_level(tmp_path: Path) -> None:
    async with serving(tmp_path, log_all) as client:
        for level in ("alert", "debug", "alert"):
            heard = await logged(client, **{META_LOG_LEVEL: level})
            assert heard == list(LOG_LEVELS[LOG_LEVELS.index(level) :])


async def test_before_a_level_is_set_what_informs_is_heard(tmp_path: Path) -> None:
    async with connected(tmp_path, log_all) as client:
        await client.call("log_all")
    assert levels(client) == list(LOG_LEVELS[1:])


@pytest.mark.parametrize("level", LOG_LEVELS)
async def test_from_the_level_that_was_set_everything_is_heard(tmp_path: Path, level: str) -> None:
    async with connected(tmp_path, log_all) as client:
        assert await client.result("logging/setLevel", {"level": level}) == {}
        await client.call("log_all")
    assert levels(client) == list(LOG_LEVELS[LOG_LEVELS.index(level) :])


@pytest.mark.parametrize("level", [None, "", "INFO", "大声 loud", 1, ["info"]])
async def test_a_level_that_nobody_knows_is_refused(tmp_path: Path, level: Any) -> None:
    async with connected(tmp_path) as client:
        error = await client.error("logging/setLevel", {"level": level})
    assert error == {"code": -32602, "message": f"level: one of {', '.join(LOG_LEVELS)}"}


async def test_a_tool_in_a_thread_is_heard_before_its_result(tmp_path: Path) -> None:
    async with connected(tmp_path, log_from_a_thread) as client:
        await client.call("log_from_a_thread")
    message, reply = client.received
    assert message["params"]["data"] == "从线程 from a thread"
    assert "result" in reply


async def test_a_level_that_does_not_exist_is_not_sent(tmp_path: Path) -> None:
    async with connected(tmp_path, log_from_a_thread) as client:
        await client.call("log_from_a_thread", {"level": "大声 loud"})
    assert levels(client) == []


async def test_a_host_without_mcp_hears_none(tmp_path: Path) -> None:
    async with serving(tmp_path, log_all) as client:
        assert (await client.result("tools.execute", {"name": "log_all"}))["ok"]
    assert client.notifications == []
