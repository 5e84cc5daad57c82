"""The table of errors, from both doors: what each side hears of what went wrong."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from tests.server.plain.conftest import Connect

from devloop_tools.server.execution import MAX_MESSAGE

CRASHES = [
    "ValueError", "empty", "mute", "SystemExit", "KeyboardInterrupt", "CancelledError",
    "StopIteration", "group", "surrogate", "long",
]  # fmt: skip


@pytest.mark.parametrize("kind", CRASHES)
@pytest.mark.parametrize("tool", ["plain_raise", "plain_raise_sync"])
async def test_whatever_a_tool_raises_is_an_answer_and_the_server_lives(
    connect: Connect, tool: str, kind: str
) -> None:
    async with connect() as host:
        error = await host.failed(tool, {"kind": kind})
        assert (error["code"], error["data"]["kind"]) == (5000, "crash")
        assert error["message"].startswith(f"{tool} failed: ")
        assert len(error["message"]) < MAX_MESSAGE + 100
        assert await host.execute("plain_echo", {"text": "还活着"}) == {
            "ok": True,
            "text": "还活着",
        }


async def test_bad_arguments_name_each_field_and_what_is_allowed(connect: Connect) -> None:
    async with connect() as host:
        error = await host.failed("timeline_append", {"evnt": "建好了", "level": "loud"})
    faults = {fault["field"]: fault for fault in error["data"]["faults"]}
    assert (error["code"], error["data"]["kind"]) == (4001, "validation")
    assert error["data"]["field"] == error["data"]["faults"][0]["field"]
    assert faults.keys() == {"event", "evnt", "level"}
    assert "did you mean event?" in faults["evnt"]["reason"]
    assert "'warn'" in faults["level"]["allowed"]


async def test_a_fault_that_a_tool_finds_in_its_arguments_reads_like_one_of_ours(
    connect: Connect,
) -> None:
    fault = {"field": "when", "reason": "昨天 is past.", "allowed": "a day to come"}
    text = "Invalid arguments for plain_raise:\n- when: 昨天 is past. Allowed: a day to come"
    async with connect() as host:
        error = await host.failed("plain_raise", {"kind": "validation"})
        assert error == {
            "code": 4001,
            "message": text,
            "data": {"kind": "validation", **fault, "faults": [fault]},
        }
        await host.initialize()
        result = await host.call("plain_raise", {"kind": "validation"})
    assert (result["isError"], result["content"][0]["text"]) == (True, text)


@pytest.mark.parametrize("path", ["../外面", "/etc/passwd", "docs/../../x", "a\x00b", ".git/配置"])
async def test_a_path_outside_the_sandbox_names_path_agent_and_reason(
    connect: Connect, path: str
) -> None:
    async with connect(agent="architect") as host:
        error = await host.failed("plain_touch", {"path": path})
        await host.initialize()
        result = await host.call("plain_touch", {"path": path})
    data = error["data"]
    assert (error["code"], data["kind"], data["agent"]) == (4003, "sandbox", "architect")
    assert data["path"] == path.replace("\x00", "\\x00")
    assert error["message"] == f"{data['path']}: {data['reason']}"
    assert result["isError"]
    assert data["reason"] in result["content"][0]["text"]


async def test_a_crash_has_an_id_that_leads_from_the_answer_to_the_log_and_the_events(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect() as host:
        error = await host.failed("plain_raise", {"kind": "ValueError"})
        error_id = error["data"]["error_id"]
        crashed, escalated = (event.data for event in host.events() if "error_id" in event.data)
        [line] = [entry for entry in host.timeline() if entry["event"] == "tool.crashed"]
    assert error["message"] == "plain_raise failed: ValueError: 磁盘 A 满"
    assert re.fullmatch(r"err-[0-9a-f]{8}", error_id)
    assert crashed["error_id"] == escalated["error_id"] == error_id
    assert crashed["frames"] == error["data"]["frames"]
    assert (line["level"], line["summary"]) == ("error", "plain_raise: ValueError: 磁盘 A 满")
    [record] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert error_id in record.getMessage()
    assert "Traceback" in record.getMessage()


async def test_the_last_three_frames_are_named_without_paths(connect: Connect) -> None:
    async with connect() as host:
        frames = (await host.failed("plain_raise", {"kind": "ValueError"}))["data"]["frames"]
    assert len(frames) == 3
    assert all(re.fullmatch(r"[\w.<>]+:\d+", frame) for frame in frames)
    assert frames[-1].startswith("devloop_tools_packs.plain._raise:")


async def test_a_crash_at_the_mcp_door_says_the_same(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        result = await host.call("plain_raise", {"kind": "ValueError"})
        [crashed] = [event.data for event in host.events() if event.type == "tool.crashed"]
    lines = result["content"][0]["text"].split("\n")
    assert result["isError"]
    assert lines[:2] == [
        "plain_raise failed: ValueError: 磁盘 A 满",
        f"error id: {crashed['error_id']}",
    ]
    assert lines[2:] == [f"at {frame}" for frame in crashed["frames"]]


async def test_a_host_hears_of_a_crash_before_its_answer(connect: Connect) -> None:
    async with connect() as host:
        error = await host.failed("plain_raise", {"kind": "ValueError"})
        assert [message.get("method") for message in host.heard] == ["escalation", None]
        assert host.told("escalation") == [
            {
                "level": "L3",
                "error_id": error["data"]["error_id"],
                "tool": "plain_raise",
                "agent": "pm",
                "message": "ValueError: 磁盘 A 满",
            }
        ]


async def test_an_mcp_client_is_not_told_of_escalations(connect: Connect) -> None:
    async with connect() as host:
        await host.initialize()
        await host.call("plain_raise", {"kind": "ValueError"})
        await host.settle()
        assert host.told("escalation") == []
        assert "escalation" in [event.type for event in host.events()]


async def test_a_client_of_the_stateless_protocol_is_not_told_either(connect: Connect) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "plain_raise", "arguments": {"kind": "ValueError"}, "_meta": meta}
    async with connect() as host:
        assert (await host.result("tools/call", params))["isError"]
        assert [message.get("method") for message in host.heard] == [None]


@pytest.mark.parametrize("method", ["events.subscribe", "server.info"])
async def test_a_client_that_also_speaks_the_plain_way_is_a_host(
    connect: Connect, method: str
) -> None:
    async with connect() as host:
        await host.initialize()
        await host.result(method)
        await host.call("plain_raise", {"kind": "ValueError"})
        assert len(host.told("escalation")) == 1


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("plain_echo", {"txt": "x"}, "Invalid arguments for plain_echo:"),
        ("plain_touch", {"path": "../外面"}, "../外面: it leads out of the project folder"),
        ("plain_touch", {"path": "旧.md"}, "旧.md: 已经 there"),
        ("plain_return", {"kind": "not ok"}, "找不到"),
    ],
)
async def test_a_call_that_fails_leaves_a_line_and_an_event_and_wakes_nobody(
    connect: Connect, tool: str, given: dict[str, Any], words: str
) -> None:
    async with connect() as host:
        (host.root / "旧.md").touch()
        await host.reply(host.start_tool(tool, given))
        [line] = host.timeline()
        [failed] = [event.data for event in host.events() if event.type == "tool.failed"]
        assert host.told("escalation") == []
    assert (line["event"], line["level"]) == ("tool.failed", "warn")
    assert line["summary"].startswith(f"{tool}: {words}")
    assert failed["tool"] == tool
    assert failed["reason"].startswith(words)


async def test_a_tool_that_was_refused_is_an_event_and_one_that_is_unknown_is_none(
    connect: Connect,
) -> None:
    async with connect(agent="bug-triager") as host:
        await host.failed("plain_touch", {"path": "x"})
        await host.failed("no_such_tool")
        await host.initialize()
        await host.error("tools/call", {"name": "timeline_append", "arguments": {}})
        events = [(event.type, event.agent, dict(event.data)) for event in host.events()]
    why = {"decision": "deny", "rule": "nothing matched", "file": "agents.json"}
    assert [(kind, agent, data | {"line": 0}) for kind, agent, data in events] == [
        (
            "policy.refused",
            "bug-triager",
            {"tool": name, **why, "line": 0, "position": "templates[2].cli.toolPolicy"},
        )
        for name in ("plain_touch", "timeline_append")
    ]


async def test_a_call_whose_line_can_t_be_written_is_answered_all_the_same(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect() as host:
        (host.root / "timeline.ndjson").mkdir()
        error = await host.failed("plain_raise", {"kind": "ValueError"})
        assert error["message"] == "plain_raise failed: ValueError: 磁盘 A 满"
        assert (await host.failed("plain_echo", {}))["code"] == 4001
    assert "timeline: timeline.ndjson" in caplog.text


async def test_a_call_is_answered_though_no_event_can_be_kept(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect() as host:
        (host.root / ".devloop" / "state.db").mkdir(parents=True)
        assert (await host.execute("plain_echo", {"text": "好"}))["text"] == "好"
        error = await host.failed("plain_raise", {"kind": "ValueError"})
    assert error["code"] == 5000
    assert "events: .devloop/state.db" in caplog.text


@pytest.mark.parametrize("call_id", ["\ud800", "a\nb", "", "x" * 129, 5, None])
async def test_an_id_that_can_t_be_written_is_replaced_by_one_of_ours(
    connect: Connect, call_id: object
) -> None:
    meta = {"claudecode/toolUseId": call_id}
    params = {"name": "timeline_append", "arguments": {"event": "事"}, "_meta": meta}
    async with connect() as host:
        await host.initialize()
        assert (await host.result("tools/call", params))["isError"] is False
        [line] = host.timeline()
        assert {event.call_id for event in host.events()} == {line["call_id"]}
    assert line["call_id"].startswith("call-")


async def test_what_goes_wrong_in_a_method_of_ours_is_logged_and_not_told(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect() as host:
        (host.root / ".devloop" / "state.db").mkdir(parents=True)
        error = await host.error("events.subscribe")
    assert error == {"code": -32603, "message": "Internal error"}
    assert "events.subscribe failed" in caplog.text


SECRET = "sk-密钥-0123456789"


async def test_no_text_holds_an_absolute_path_or_a_value_of_the_environment(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVLOOP_TEST_SECRET", SECRET)
    async with connect() as host:
        texts = [f"no {host.root}/prd/页.html", f"can't read {Path.home()}/.ssh/id_rsa", "忘了"]
        for text in texts:
            await host.failed("plain_fail", {"text": text})
        await host.failed("plain_fail", {"txt": "x"})
        await host.failed("plain_touch", {"path": "/etc/passwd"})
        await host.failed("no_such_tool")
        said = f"{host.heard} {host.timeline()} {host.events()}"
        assert "no prd/页.html" in said
        assert "can't read …/id_rsa" in said
        for leaked in (str(host.root), str(Path.home()), SECRET, "pydantic", "site-packages"):
            assert leaked not in said, leaked
