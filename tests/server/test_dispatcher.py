"""Method and params to an answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server.conftest import Client, connected, make_application

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import memory_pair
from devloop_tools.server.dispatcher import Dispatcher, Method
from devloop_tools.server.session import Session

PING: JsonObject = {"jsonrpc": "2.0", "id": 22, "method": "ping"}


async def test_params_that_are_null_count_as_absent(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert await client.result("tools/list", None) == await client.result("tools/list", {})


@pytest.mark.parametrize("params", [[], ["f"], "f_echo", 0, False])
async def test_params_that_are_no_object_are_bad_params(params: object, tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert (await client.error("tools/list", params))["code"] == -32602
        assert (await client.error("tools/call", params))["code"] == -32602


@pytest.mark.parametrize("method", ["", "方法", "tools", "TOOLS/LIST", "rpc.discover", "\ud800"])
async def test_an_unknown_method_is_named(method: str, tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        error = await client.error(method, {"a": 1})
        assert error == {"code": -32601, "message": f"Method not found: {method}"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("notifications/initialized", {}),
        ("notifications/初始化", {}),
        ("notifications/cancelled", None),
        ("notifications/cancelled", {"requestId": {"a": []}}),
        ("notifications/roots/list_changed", {}),
        ("tools/call", {"name": "timeline_append", "arguments": {"event": "e"}}),
        ("$/cancel", {"id": None}),
    ],
)
async def test_a_notification_is_never_answered(
    method: str, params: object, tmp_path: Path
) -> None:
    async with connected(tmp_path) as client:
        client.notify(method, params)
        await client.settle()
        assert len(client.received) == 1
        assert not (tmp_path / "timeline.ndjson").exists()


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
async def test_a_batch_is_answered_whole_where_the_revision_has_them(
    version: str, tmp_path: Path
) -> None:
    async with connected(tmp_path, version=version) as client:
        append = {"name": "timeline_append", "arguments": {"event": "批"}}
        call = {"jsonrpc": "2.0", "id": 21, "method": "tools/call", "params": append}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        client.send([call, note, PING, {"jsonrpc": "2.0", "id": True, "method": "ping"}, []])
        batch = await client.next()
    by_id = sorted(batch, key=lambda reply: str(reply["id"]))
    assert [reply["id"] for reply in by_id] == [21, 22, None, None]
    assert [reply["error"]["code"] for reply in by_id[2:]] == [-32600, -32600]


@pytest.mark.parametrize("version", [None, "2025-06-18", "2025-11-25"])
async def test_a_batch_is_refused_and_not_run_where_the_revision_has_none(
    version: str | None, tmp_path: Path
) -> None:
    async with connected(tmp_path, version=version) as client:
        append = {"name": "timeline_append", "arguments": {"event": "批"}}
        client.send([{"jsonrpc": "2.0", "id": 21, "method": "tools/call", "params": append}, PING])
        refusal = await client.next()
        await client.settle()
    assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)
    assert len(client.received) == 2
    assert not (tmp_path / "timeline.ndjson").exists()


async def _broken(session: Session, request: Request) -> JsonObject:
    raise RuntimeError("秘密 a secret at /home/ann/key")


async def test_a_fault_of_ours_tells_the_client_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    methods: Mapping[str, Method] = {"broken": Method(_broken, early=True)}
    theirs, ours = memory_pair()
    connection = Connection(ours)
    application = make_application(tmp_path)
    dispatcher = Dispatcher(application.session(connection), methods, {})
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run, dispatcher)
            client = Client(theirs, application)
            reply: Any = await client.request("broken")
            client.close()
    assert reply["error"] == {"code": -32603, "message": "Internal error"}
    assert "秘密 a secret" in caplog.text
