"""events.subscribe: events as they are committed, none missed, none twice."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import comes_true
from tests.server.plain.conftest import Connect, Host

from devloop_tools.domain.events import MAX_READ, EventLog, EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.rpc.transport import ENOUGH_QUEUED
from devloop_tools.server import committed
from devloop_tools.storage.database import Database

ELSEWHERE = Origin("项目", "coder", "call-1", "session-2", "todo-be")
DUE_S = 1.0
"""An event is due 0.1 s after its commit; this much is a hang."""


def other_process(root: Path) -> EventLog:
    """A log with a connection of its own, as another server of the project has one."""
    return EventLog(Database(root))


def commit(log: EventLog, count: int, size: int = 10) -> None:
    for number in range(count):
        log.emit(ELSEWHERE, EventType.MEMORY_RECORDED, {"id": f"记 {number}", "text": "长" * size})


def ids(host: Host) -> list[int]:
    return [event["id"] for event in host.told("event")]


async def test_the_answer_comes_first_and_says_where_the_log_stands(connect: Connect) -> None:
    async with connect() as host:
        commit(other_process(host.root), 3)
        assert await host.result("events.subscribe", {"after": 0}) == {"ok": True, "last_id": 3}
        await host.told_times("event", 3)
        assert [message.get("method") for message in host.heard] == [None, *["event"] * 3]
        assert ids(host) == [1, 2, 3]


async def test_an_event_says_what_happened_and_who_did_it(connect: Connect) -> None:
    async with connect() as host:
        await host.result("events.subscribe")
        commit(other_process(host.root), 1, size=1)
        await host.execute("timeline_append", {"event": "unit.built", "summary": "建好了"})
        theirs, ours = await host.told_times("event", 2)
    ts, call_id = ours.pop("ts"), ours.pop("call_id")
    assert {**theirs, "ts": ts} == {
        "id": 1, "type": "memory.recorded", "ts": ts, "project_id": "项目", "agent": "coder",
        "unit_id": "todo-be", "call_id": "call-1", "session_id": "session-2",
        "data": {"id": "记 0", "text": "长"},
    }  # fmt: skip
    assert call_id.startswith("call-")
    assert ours == {
        "id": 2, "type": "timeline.appended", "project_id": "项目 one", "agent": "pm",
        "session_id": "session-1",
        "data": {"seq": 1, "event": "unit.built", "level": "info", "summary": "建好了"},
    }  # fmt: skip


async def test_without_after_it_starts_from_now(connect: Connect) -> None:
    async with connect() as host:
        log = other_process(host.root)
        commit(log, 3)
        assert (await host.result("events.subscribe"))["last_id"] == 3
        commit(log, 2)
        await host.told_times("event", 2)
        assert ids(host) == [4, 5]


@pytest.mark.parametrize(("after", "heard"), [(0, [1, 2, 3]), (2, [3]), (3, [])])
async def test_with_after_it_starts_behind_that_event(
    connect: Connect, after: int, heard: list[int]
) -> None:
    async with connect() as host:
        commit(other_process(host.root), 3)
        await host.result("events.subscribe", {"after": after})
        await host.told_times("event", len(heard))
        await host.result("events.subscribe", {"after": 3})
        assert ids(host) == heard


async def test_an_event_arrives_soon_after_its_commit(connect: Connect) -> None:
    async with connect() as host:
        log = other_process(host.root)
        await host.result("events.subscribe")
        for number in range(5):
            committed = time.monotonic()
            commit(log, 1)
            await host.told_times("event", number + 1)
            assert time.monotonic() - committed < DUE_S


async def test_more_events_than_a_page_come_in_order_and_once(connect: Connect) -> None:
    count = 2 * MAX_READ + 100
    async with connect() as host:
        log = other_process(host.root)
        for number in range(count):
            log.note(ELSEWHERE, EventType.TOOL_CALLED, {"tool": f"工具 {number}"})
        log.flush()
        await host.result("events.subscribe", {"after": 0})
        await host.told_times("event", count)
        assert ids(host) == list(range(1, count + 1))


async def test_a_second_subscription_replaces_the_first(connect: Connect) -> None:
    async with connect() as host:
        log = other_process(host.root)
        commit(log, 3)
        await host.result("events.subscribe", {"after": 0})
        await host.told_times("event", 3)
        await host.result("events.subscribe", {"after": 1})
        await host.told_times("event", 5)
        commit(log, 1)
        await host.told_times("event", 6)
        await host.settle()
        assert ids(host) == [1, 2, 3, 2, 3, 4]


async def test_subscriptions_that_come_at_once_leave_one(connect: Connect) -> None:
    async with connect() as host:
        log = other_process(host.root)
        commit(log, 200)
        for _ in range(10):
            asked = host.start("events.subscribe", {"after": 0})
        await host.reply(asked)
        position = len(host.told("event"))
        await host.told_times("event", position + 200)
        commit(log, 1)
        await host.told_times("event", position + 201)
        await host.settle()
        assert ids(host)[position:] == list(range(1, 202))


async def test_a_reader_who_is_slow_holds_up_the_events_and_misses_none(connect: Connect) -> None:
    count, size = 200, 10_000
    async with connect() as host:
        log = other_process(host.root)
        commit(log, count, size)
        await host.result("events.subscribe", {"after": 0})
        await host.held_up()
        assert ENOUGH_QUEUED <= host.queued < ENOUGH_QUEUED + 2 * 3 * size
        await host.told_times("event", count)
        assert ids(host) == list(range(1, count + 1))


async def test_calls_are_answered_while_events_are_held_up(connect: Connect) -> None:
    async with connect() as host:
        commit(other_process(host.root), 200, 10_000)
        await host.result("events.subscribe", {"after": 0})
        await host.held_up()
        assert (await host.execute("plain_echo", {"text": "好"}))["text"] == "好"


async def test_a_log_that_can_t_be_read_ends_neither_the_server_nor_the_subscription(
    connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committed, "RETRY_S", 0.05)
    async with connect() as host:
        log = other_process(host.root)
        commit(log, 1)
        await host.result("events.subscribe", {"after": 0})
        await host.told_times("event", 1)
        with Database(host.root).transaction() as connection:
            connection.execute("ALTER TABLE events RENAME TO away")
        await comes_true(lambda: "no such table" in caplog.text)
        with Database(host.root).transaction() as connection:
            connection.execute("ALTER TABLE away RENAME TO events")
        commit(log, 1)
        await host.told_times("event", 2)
        assert ids(host) == [1, 2]


@pytest.mark.parametrize("after", [2, 10**6, 2**63 - 1])
async def test_an_event_to_come_is_refused_since_the_log_may_have_begun_anew(
    connect: Connect, after: int
) -> None:
    async with connect() as host:
        commit(other_process(host.root), 1)
        error = await host.error("events.subscribe", {"after": after})
        assert await host.result("events.subscribe", {"after": 1}) == {"ok": True, "last_id": 1}
    assert error["code"] == -32602
    assert error["message"] == (
        f"after: {after} is no event yet, the newest is 1; 0 asks for all there are"
    )


@pytest.mark.parametrize("after", [None, 0, 2])
async def test_events_of_a_database_in_place_of_the_one_before_are_all_told(
    connect: Connect, after: int | None
) -> None:
    async with connect() as host:
        commit(other_process(host.root), 2)
        await host.result("events.subscribe", {"after": after})
        seen = len(await host.told_times("event", 2 if after == 0 else 0))
        shutil.rmtree(host.root / ".devloop")
        commit(other_process(host.root), 1)
        commit(other_process(host.root), 1)
        await host.told_times("event", seen + 2)
        await host.execute("timeline_append", {"event": "unit.built"})
        await host.told_times("event", seen + 3)
        told = [event["data"].get("id") or event["id"] for event in host.told("event")[seen:]]
        assert told[:2] == ["记 0", "记 0"]
        assert told[2] > 2


@pytest.mark.parametrize("params", [{"after": -1}, {"after": "x"}, {"after": 2**63}, {"from": 1}])
async def test_params_of_the_wrong_form_are_refused(connect: Connect, params: Any) -> None:
    async with connect() as host:
        error = await host.error("events.subscribe", params)
    assert error["code"] == -32602
    assert next(iter(params)) in error["message"]
