"""The bridge: what comes in over HTTP reaches the right process, and what comes back the right
client. The suites stand on it, so that it is held to more than they look at."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.conformance.child import SUBSCRIPTION, Child, Exchange, Json, Program
from tests.conformance.host import change_tools
from tests.conformance.suites import server_words

HANG_S = 20
META: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[Child]:
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    project = folder / "项目"
    project.mkdir()
    with (folder / "log").open("wb") as log:
        child = await Child.start(Program(server_words(project), env, log))
        async with asyncio.timeout(HANG_S):
            yield child
        await child.close()


def request(method: str, params: Json, **meta: Any) -> Json:
    params = {**params, "_meta": {**META, **meta}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def rest(exchange: Exchange) -> list[Json]:
    """What is still to come for a request."""
    messages = []
    while (message := await exchange.stream.get()) is not None:
        messages.append(message)
    return messages


async def test_two_clients_that_count_alike_do_not_meet(tmp_path: Path) -> None:
    call = {"name": "test_tool_with_progress"}
    async with started(tmp_path) as child:
        messages = [request("tools/call", call, progressToken=token) for token in ("甲", "甲")]
        exchanges = [child.request(message) for message in messages]
        for exchange in exchanges:
            *progress, reply = await rest(exchange)
            assert [note["params"]["progressToken"] for note in progress] == ["甲"] * 3
            assert (reply["id"], reply["result"]["isError"]) == (1, False)


async def test_a_listener_hears_of_the_tools_that_a_host_registers(tmp_path: Path) -> None:
    listen = request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    async with started(tmp_path) as child:
        exchange = child.request({**listen, "id": "听 listen"})
        acknowledged = await exchange.stream.get()
        await change_tools(child, request("tools/call", {}))
        changed = await exchange.stream.get()
        assert acknowledged is not None
        assert changed is not None
        child.abandon(exchange)
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert changed["method"] == "notifications/tools/list_changed"
    for message in (acknowledged, changed):
        assert message["params"]["_meta"][SUBSCRIPTION] == "听 listen"


async def test_a_cancelled_request_is_the_clients_own(tmp_path: Path) -> None:
    call = {"name": "test_simple_text"}
    async with started(tmp_path) as child:
        open_ones = [
            child.request({**request("subscriptions/listen", {"notifications": {}}), "id": key})
            for key in ("one", "two")
        ]
        acknowledged = [await exchange.stream.get() for exchange in open_ones]
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": "one"}}
        child.pass_on({"jsonrpc": "2.0", **cancelled})
        await rest(child.request(request("tools/call", call)))
    assert None not in acknowledged
    # The end of the input completes what is still open.
    assert [[m["id"] for m in await rest(exchange)] for exchange in open_ones] == [[], ["two"]]
