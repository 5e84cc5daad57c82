"""initialize, ping, and what may run before them."""

from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import connected

from devloop_tools.protocol.mcp import LATEST, VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
async def test_each_revision_with_a_handshake_is_spoken(version: str, tmp_path: Path) -> None:
    async with connected(tmp_path, version=None) as client:
        result = await client.result("initialize", {"protocolVersion": version})
        assert result["protocolVersion"] == version
        assert result["serverInfo"]["name"] == "devloop-tools"
        assert result["capabilities"]["tools"] is not None
        # Nothing waits for notifications/initialized.
        assert (await client.result("tools/list"))["tools"]


@pytest.mark.parametrize("version", ["2099-01-01", "1999-01-01", "", "最新", "2026-07-28"])
async def test_another_revision_is_answered_with_the_latest(version: str, tmp_path: Path) -> None:
    async with connected(tmp_path, version=None) as client:
        result = await client.result("initialize", {"protocolVersion": version})
        assert result["protocolVersion"] == LATEST


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 20251125}, []])
async def test_an_opening_without_a_version_is_refused_and_can_be_repeated(
    params: object, tmp_path: Path
) -> None:
    async with connected(tmp_path, version=None) as client:
        assert (await client.error("initialize", params))["code"] == -32602
        assert (await client.error("tools/list"))["code"] == -32600
        await client.result("initialize", {"protocolVersion": LATEST})
        assert (await client.result("tools/list"))["tools"]


async def test_ping_and_unknown_methods_are_answered_before_the_opening(tmp_path: Path) -> None:
    async with connected(tmp_path, version=None) as client:
        assert await client.result("ping") == {}
        assert (await client.error("不存在/方法"))["code"] == -32601
        discover = await client.reply(
            client.start("server/discover", {}, request_id="server-discover-probe-1")
        )
        assert discover["error"]["code"] == -32602


@pytest.mark.parametrize(
    "method", ["tools/list", "tools/call", "resources/list", "prompts/list", "logging/setLevel"]
)
async def test_other_requests_wait_for_the_opening(method: str, tmp_path: Path) -> None:
    async with connected(tmp_path, version=None) as client:
        error = await client.error(method, {"name": "timeline_append"})
        assert error["code"] == -32600
        assert method in error["message"]


async def test_a_second_opening_changes_what_is_spoken(tmp_path: Path) -> None:
    async with connected(tmp_path, version="2024-11-05") as client:
        assert "annotations" not in (await client.result("tools/list"))["tools"][0]
        await client.result("initialize", {"protocolVersion": "2025-06-18"})
        assert "annotations" in (await client.result("tools/list"))["tools"][0]


async def test_a_discovery_after_the_opening_is_no_method(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert (await client.error("server/discover", {}))["code"] == -32601


@pytest.mark.parametrize(
    "info", [{"name": "客户端", "version": "1"}, None, "claude", [], {"name": None}]
)
async def test_what_a_client_says_of_itself_ends_nothing(info: object, tmp_path: Path) -> None:
    params: dict[str, Any] = {"protocolVersion": LATEST, "clientInfo": info, "capabilities": info}
    async with connected(tmp_path, version=None) as client:
        await client.result("initialize", params)
        assert await client.result("ping", {"_meta": info}) == {}
