"""What a call leaves behind: a timeline line for a failure, an event for every one."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from tests.server.conftest import Client, connected, text_of, timeline_of

from devloop_tools.domain.events import Event
from devloop_tools.protocol.mcp import LATEST
from devloop_tools.storage.errors import ToolSandboxError
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, refused, tool


class Wish(ToolInput):
    wish: str = Field(default="", max_length=50_000, description="What should happen.")


@tool(READ)
def work(args: Wish, ctx: ToolContext) -> str | Refused:
    """Do what is wished."""
    match args.wish:
        case "refuse":
            return refused("wish: 不行", "Wish for something else.")
        case "leave":
            raise ToolSandboxError("../逃", ctx.agent, "outside")
        case "exit":
            raise SystemExit("退出")
        case crash if crash.startswith("crash"):
            raise RuntimeError(crash)
        case _:
            return "ok"


@tool(READ)
async def crashing_badly(args: Wish, ctx: ToolContext) -> str:
    """Fail with the name of a file that is not UTF-8."""
    raise OSError("文件 b\udcff")


async def events_after(client: Client, wish: object) -> list[Event]:
    await client.call("work", {"wish": wish}, {"claudecode/toolUseId": "toolu_1"})
    return client.events()


async def test_a_call_that_did_its_work_is_an_event_alone(tmp_path: Path) -> None:
    async with connected(tmp_path, work) as client:
        [event] = await events_after(client, "anything")
    assert (event.type, event.agent, event.call_id) == ("tool.called", "pm", "toolu_1")
    assert (event.project_id, event.session_id) == ("项目-1", "session-1")
    assert event.data["tool"] == "work"
    assert event.data["ok"] is True
    assert event.data["duration_ms"] >= 0
    assert timeline_of(tmp_path) == []


@pytest.mark.parametrize(
    ("wish", "summary"),
    [
        ("refuse", "work: wish: 不行"),
        ("leave", "work: ../逃: outside"),
        (7, "work: Invalid arguments for work:\n- wish: "),
    ],
)
async def test_an_expected_failure_leaves_a_line_and_an_event(
    wish: object, summary: str, tmp_path: Path
) -> None:
    async with connected(tmp_path, work) as client:
        events = await events_after(client, wish)
    [line] = timeline_of(tmp_path)
    assert (line["event"], line["level"], line["call_id"]) == ("tool.failed", "warn", "toolu_1")
    assert line["summary"].startswith(summary)
    assert [event.type for event in events] == ["timeline.appended", "tool.failed"]
    assert events[1].data["reason"] == line["summary"].removeprefix("work: ")


@pytest.mark.parametrize("wish", ["crash: 磁盘满", "exit"])
async def test_a_crash_leaves_a_line_two_events_and_a_traceback_for_us(
    wish: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(tmp_path, work) as client:
        events = {event.type: event.data for event in await events_after(client, wish)}
        text = text_of(client.received[-1]["result"])
    [line] = timeline_of(tmp_path)
    crash, escalation = events["tool.crashed"], events["escalation"]
    assert (line["event"], line["level"]) == ("tool.crashed", "error")
    assert list(events) == ["timeline.appended", "tool.crashed", "escalation"]
    assert f"error id: {crash['error_id']}\n" in text
    assert crash["frames"][-1].startswith("tests.server.test_middleware.work:")
    assert {name: escalation[name] for name in ("level", "tool", "agent", "error_id")} == {
        "level": "L3",
        "tool": "work",
        "agent": "pm",
        "error_id": crash["error_id"],
    }
    assert "Traceback" in caplog.text
    assert crash["error_id"] in caplog.text


async def test_what_a_crash_says_can_be_written_wherever_it_goes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(tmp_path, crashing_badly) as client:
        await client.call("crashing_badly")
        types = {event.type for event in client.events()}
    assert {"tool.crashed", "escalation"} <= types
    assert timeline_of(tmp_path)[0]["summary"] == "crashing_badly: OSError: 文件 b?"
    assert "OSError: 文件 b?" in caplog.text.encode().decode()


async def test_each_crash_has_an_id_of_its_own(tmp_path: Path) -> None:
    async with connected(tmp_path, work) as client:
        texts = [text_of(await client.call("work", {"wish": "crash"})) for _ in range(3)]
    ids = {text.partition("error id: ")[2].partition("\n")[0] for text in texts}
    assert len(ids) == 3


@pytest.mark.parametrize("version", [LATEST, None])
async def test_a_client_of_mcp_hears_of_no_escalation(tmp_path: Path, version: str | None) -> None:
    call = {"name": "work", "arguments": {"wish": "crash"}}
    async with connected(tmp_path, work, version=version) as client:
        reply = await (client.modern if version is None else client.request)("tools/call", call)
        await client.settle()
    assert reply["result"]["isError"]
    assert client.notifications == []


async def test_whoever_subscribed_to_events_hears_of_it_in_each_era(tmp_path: Path) -> None:
    call = {"name": "work", "arguments": {"wish": "crash"}}
    async with connected(tmp_path, work) as client:
        await client.result("events.subscribe")
        for ask in (client.modern, client.request):
            await ask("tools/call", call)
        assert [await client.incoming("escalation") for _ in range(2)]


async def test_a_host_hears_of_it_before_its_answer(tmp_path: Path) -> None:
    async with connected(tmp_path, work, version=None) as client:
        params = {"name": "work", "input": {"wish": "crash"}}
        error = await client.error("tools.execute", params)
    [escalation] = client.notifications
    assert escalation["method"] == "escalation"
    assert escalation["params"]["error_id"] == error["data"]["error_id"]
    assert client.received[0] == escalation


async def test_a_long_reason_is_cut_in_the_timeline(tmp_path: Path) -> None:
    async with connected(tmp_path, work) as client:
        await client.call("work", {"wish": "crash" + "长" * 30_000})
        events = client.events()
    [line] = timeline_of(tmp_path)
    assert len(line["summary"]) <= 2000
    assert all(len(str(event.data)) < 5000 for event in events)


def _folder_in_the_way(root: Path) -> None:
    (root / "timeline.ndjson").mkdir()


def _link_in_the_way(root: Path) -> None:
    (root / "timeline.ndjson").symlink_to(root / "elsewhere")


def _state_folder_is_a_file(root: Path) -> None:
    (root / ".devloop").write_text("in the way")


def _state_folder_is_a_link(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / ".devloop").symlink_to(root / "elsewhere")


def _locks_is_a_file(root: Path) -> None:
    (root / ".devloop").mkdir()
    (root / ".devloop" / "locks").write_text("in the way")


def _database_is_a_folder(root: Path) -> None:
    (root / ".devloop" / "state.db").mkdir(parents=True)


@pytest.mark.parametrize(
    "spoil",
    [
        _folder_in_the_way,
        _link_in_the_way,
        _state_folder_is_a_file,
        _state_folder_is_a_link,
        _locks_is_a_file,
        _database_is_a_folder,
    ],
)
@pytest.mark.parametrize("wish", ["fine", "refuse", "leave", "crash"])
async def test_what_can_not_be_noted_does_not_hide_the_answer(
    wish: str, spoil: Any, tmp_path: Path
) -> None:
    spoil(tmp_path)
    async with connected(tmp_path, work) as client:
        result = await client.call("work", {"wish": wish})
        assert await client.result("ping") == {}
    assert result["isError"] is (wish in ("leave", "crash"))
    assert {"fine": "ok", "refuse": "不行", "leave": "逃", "crash": "crash"}[wish] in text_of(
        result
    )


@pytest.mark.parametrize("wish", ["refuse", "crash"])
async def test_a_timeline_that_the_agent_may_not_write_is_said_in_the_log(
    wish: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with connected(tmp_path, work, write_allow=["prd/**"]) as client:
        await client.call("work", {"wish": wish})
        types = [event.type for event in client.events()]
    assert timeline_of(tmp_path) == []
    assert "timeline: " in caplog.text
    assert types == {"refuse": ["tool.failed"], "crash": ["tool.crashed", "escalation"]}[wish]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    yield tmp_path
    tmp_path.chmod(0o700)


async def test_a_project_that_can_only_be_read_is_served(read_only: Path) -> None:
    async with connected(read_only, work) as client:
        assert text_of(await client.call("work", {"wish": "crash"})).startswith("work failed")
