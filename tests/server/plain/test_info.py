"""server.info and session.state."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.server.plain.conftest import TOOLS, Connect

from devloop_tools.protocol.mcp import SUPPORTED
from devloop_tools.version import VERSION


async def test_a_host_learns_what_the_server_is_without_a_handshake(connect: Connect) -> None:
    async with connect() as host:
        assert await host.result("server.info") == {
            "name": "devloop-tools",
            "version": VERSION,
            "agent": "pm",
            "project_dir": str(host.root),
            "protocols": list(SUPPORTED),
            "packs": [],
        }


async def test_a_server_for_several_agents_has_no_agent_of_its_own(connect: Connect) -> None:
    async with connect(agent=None, host=True) as host:
        assert (await host.result("server.info", {}))["agent"] is None


@pytest.mark.parametrize("offered", ["legacy", "modern"])
async def test_it_names_the_protocols_that_this_server_was_told_to_speak(
    connect: Connect, offered: str
) -> None:
    async with connect(protocol=offered) as host:
        named = (await host.result("server.info"))["protocols"]
    assert ("2026-07-28" in named) is (offered == "modern")
    assert ("2025-11-25" in named) is (offered == "legacy")


async def test_it_names_the_packs_that_could_not_be_loaded(
    connect: Connect, tmp_path: Path
) -> None:
    tools = shutil.copytree(TOOLS, tmp_path / "tools.d")
    (tools / "packs" / "坏.py").write_text("def (", encoding="utf-8")
    async with connect(tools_dir=str(tools)) as host:
        [fault] = (await host.result("server.info"))["packs"]
        assert (await host.execute("plain_echo", {"text": "好"}))["text"] == "好"
    assert fault == {"file": "坏.py", "reason": "SyntaxError: invalid syntax (line 1)"}


async def test_nothing_waits_for_a_person_yet(connect: Connect) -> None:
    async with connect() as host:
        assert await host.result("session.state") == {"state": "running", "pending": []}


@pytest.mark.parametrize("method", ["server.info", "session.state"])
@pytest.mark.parametrize("params", [{"verbose": True}, {"ctx": {"agent": "pm"}}])
async def test_params_that_nobody_knows_are_refused_by_name(
    connect: Connect, method: str, params: dict[str, Any]
) -> None:
    async with connect() as host:
        error = await host.error(method, params)
    assert error["code"] == -32602
    assert next(iter(params)) in error["message"]
