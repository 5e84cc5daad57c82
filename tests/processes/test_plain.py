"""Plain JSON-RPC over real pipes: the first line, several writers, a host that leaves."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import PATIENCE_S, Server, command, serving

from devloop_tools.rpc.connection import MAX_IN_FLIGHT

WRITERS, EACH = 2, 60
UNMEASURED = {"COVERAGE_PROCESS_CONFIG": ""}
"""Where two threads end the process at once, coverage saves from both, and crashes."""


def events_in(server: Server) -> list[dict[str, Any]]:
    """The params of every event that this client was sent."""
    messages = [line.message for line in server.lines if line.message]
    return [message["params"] for message in messages if message.get("method") == "event"]


def appended(server: Server) -> list[dict[str, Any]]:
    return [event for event in events_in(server) if event["type"] == "timeline.appended"]


def test_a_plain_request_may_be_the_first_line(tmp_path: Path) -> None:
    with Server(command(tmp_path)) as server:
        server.request(1, "tools.execute", {"name": "f_echo", "input": {"text": "第一 line"}})
        assert server.reply(1)["result"] == {"ok": True, "text": "第一 line"}


def test_a_host_acts_for_several_agents_over_one_pipe(tmp_path: Path) -> None:
    with Server([*command(tmp_path)[:2], "--host", *command(tmp_path)[4:]]) as server:
        for agent in ("pm", "bug-triager"):
            server.request(agent, "tools.list", {"agent": agent})
        counts = {agent: len(server.reply(agent)["result"]["tools"]) for agent in ("pm",)}
        [only] = server.reply("bug-triager")["result"]["tools"]
    assert counts["pm"] > 10
    assert only["name"] == "f_echo"


def test_an_agent_that_floods_leaves_room_for_the_others(tmp_path: Path) -> None:
    with Server([*command(tmp_path)[:2], "--host", *command(tmp_path)[4:]]) as server:
        given = {"name": "f_sleep", "input": {"seconds": 60}, "ctx": {"agent": "architect"}}
        for number in range(MAX_IN_FLIGHT):
            server.request(number, "tools.execute", given)
        other = {"name": "f_echo", "input": {"text": "快"}, "ctx": {"agent": "pm"}}
        server.request("other", "tools.execute", other)
        assert server.reply("other")["result"] == {"ok": True, "text": "快"}
        refused = server.reply(MAX_IN_FLIGHT - 1)["error"]
    assert refused["code"] == -32600
    assert "calls of architect are open; await answers" in refused["message"]


def test_a_host_and_the_cli_exclude_each_other(tmp_path: Path) -> None:
    with Server(command(tmp_path, more=["--host", "--for-cli"])) as server:
        server.request(1, "server.info")
        ended = server.wait_ended(PATIENCE_S)
    assert ended is not None
    assert ended.code == 2
    assert server.stderr == "devloop-tools serve: --host and --for-cli exclude each other\n"


def test_a_subscriber_misses_nothing_and_hears_nothing_twice_while_others_write(
    tmp_path: Path,
) -> None:
    with Server(command(tmp_path)) as host, serving(tmp_path) as one, serving(tmp_path) as other:
        host.request("sub", "events.subscribe", {"after": 0})
        host.reply("sub")
        for number in range(EACH):
            given = {"event": "轮.step", "summary": f"{number}"}
            for server in (one, other):
                server.call(number, "timeline_append", **given)
            host.request(number, "tools.execute", {"name": "timeline_append", "input": given})
        for server in (one, other, host):
            for number in range(EACH):
                server.reply(number)
        total = (WRITERS + 1) * EACH
        assert host.wait_until(lambda: len(appended(host)) == total, PATIENCE_S)
        ids = [event["id"] for event in events_in(host)]
        seqs = [event["data"]["seq"] for event in appended(host)]
    assert ids == sorted(set(ids))
    assert sorted(seqs) == list(range(1, total + 1))


def test_a_subscriber_who_comes_late_is_told_of_everything_before(tmp_path: Path) -> None:
    with serving(tmp_path) as writer:
        for number in range(EACH):
            writer.call(number, "timeline_append", event="事")
        for number in range(EACH):
            writer.reply(number)
        with Server(command(tmp_path)) as host:
            host.request("sub", "events.subscribe", {"after": 10})
            assert host.reply("sub")["result"]["last_id"] >= EACH
            assert host.wait_until(lambda: len(events_in(host)) >= EACH - 10, PATIENCE_S)
            assert [event["id"] for event in events_in(host)][: EACH - 10] == [*range(11, EACH + 1)]


def test_a_host_that_leaves_in_mid_call_leaves_no_server_behind(tmp_path: Path) -> None:
    tool = {"name": "ask", "description": "问", "input_schema": {"type": "object"}}
    with Server(command(tmp_path), env=UNMEASURED) as host:
        host.request(1, "tools.register", {"tools": [tool]})
        host.reply(1)
        host.request(2, "tools.execute", {"name": "ask", "input": {}})
        assert host.wait_until(lambda: b"host.execute" in host.lines[-1].raw, PATIENCE_S)
        host.close_stdin()
        ended = host.wait_ended(PATIENCE_S)
    assert ended is not None
    assert ended.code == 0


@pytest.mark.parametrize("flag", ["--session", "CLAUDE_CODE_SESSION_ID"])
def test_the_session_of_the_command_line_stands_in_files_and_events(
    tmp_path: Path, flag: str
) -> None:
    more = [flag, "会话 7"] if flag.startswith("--") else []
    with Server(command(tmp_path, more=more), env={} if more else {flag: "会话 7"}) as host:
        host.request(0, "events.subscribe")
        host.request(1, "tools.execute", {"name": "timeline_append", "input": {"event": "事"}})
        host.reply(1)
        assert host.wait_until(lambda: bool(events_in(host)), PATIENCE_S)
        assert events_in(host)[0]["session_id"] == "会话 7"
    [line] = (tmp_path / "timeline.ndjson").read_text("utf-8").splitlines()
    assert json.loads(line)["session_id"] == "会话 7"


def test_names_from_the_system_that_are_no_text_spoil_nothing(tmp_path: Path) -> None:
    project = tmp_path / "caf\udce9"
    project.mkdir()
    with Server(command(project), env={"CLAUDE_CODE_SESSION_ID": "s\udcff"}) as host:
        for number in range(3):
            given = {"name": "timeline_append", "input": {"event": "事"}}
            host.request(number, "tools.execute", given)
            assert host.reply(number)["result"] == {"ok": True, "seq": number + 1}
