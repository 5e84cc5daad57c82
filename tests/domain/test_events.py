"""The event log: committed in order, never lost by a failure, read in pages."""

import threading
from pathlib import Path

import pytest

from devloop_tools.domain import events as module
from devloop_tools.domain.events import EventLog, EventType, as_json, as_object
from devloop_tools.domain.origin import Origin
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import StorageError

PM = Origin(project_id="p", agent="pm", call_id="call-1", session_id="s-1")
CODER = Origin(project_id="p", agent="coder", call_id="call-2", session_id="s-2", unit_id="登录-be")


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(Database(tmp_path))


def tools_in(log: EventLog, after: int = 0) -> list[object]:
    return [event.data["tool"] for event in log.read(after)]


def emit(log: EventLog, tool: str) -> None:
    log.emit(PM, EventType.TOOL_CALLED, {"tool": tool})


def note(log: EventLog, tool: str) -> None:
    log.note(PM, EventType.TOOL_CALLED, {"tool": tool})


def test_an_event_says_who_did_what_and_when(log: EventLog) -> None:
    log.emit(CODER, EventType.MEMORY_RECORDED, {"topic": "登录", "n": [1, None]})
    [event] = log.read(0)
    assert (event.id, event.type, event.project_id) == (1, "memory.recorded", "p")
    assert (event.agent, event.unit_id, event.call_id) == ("coder", "登录-be", "call-2")
    assert (event.session_id, event.data) == ("s-2", {"topic": "登录", "n": [1, None]})
    assert event.ts.endswith("Z")


def test_an_event_is_an_object_on_the_wire_without_what_it_has_not(log: EventLog) -> None:
    emit(log, "a")
    [event] = log.read(0)
    assert "unit_id" not in as_object(event)
    assert as_object(event)["call_id"] == "call-1"
    assert b'"data":{"tool":"a"}' in as_json(event)


def test_an_event_is_on_disk_when_emit_returns(log: EventLog, tmp_path: Path) -> None:
    emit(log, "a")
    assert tools_in(EventLog(Database(tmp_path))) == ["a"]


def test_a_note_waits_for_the_next_commit_and_comes_before_it(
    log: EventLog, tmp_path: Path
) -> None:
    note(log, "noted")
    assert log.has_waiting()
    assert tools_in(EventLog(Database(tmp_path))) == []
    emit(log, "emitted")
    assert not log.has_waiting()
    assert tools_in(EventLog(Database(tmp_path))) == ["noted", "emitted"]


def test_flush_commits_what_waits_and_nothing_twice(log: EventLog) -> None:
    for tool in "abc":
        note(log, tool)
    log.flush()
    log.flush()
    assert tools_in(log) == ["a", "b", "c"]


def test_a_flush_with_nothing_to_do_opens_no_database(log: EventLog, tmp_path: Path) -> None:
    log.flush()
    assert not (tmp_path / ".devloop").exists()


def spoil(root: Path) -> None:
    """What stands there is no database."""
    (root / ".devloop").mkdir()
    (root / ".devloop" / "state.db").write_bytes(b"not a database")


def test_what_could_not_be_committed_waits_in_its_order(log: EventLog, tmp_path: Path) -> None:
    spoil(tmp_path)
    note(log, "a")
    note(log, "b")
    with pytest.raises(StorageError, match=r"state\.db can't be opened"):
        log.flush()
    note(log, "c")
    with pytest.raises(StorageError):
        emit(log, "lost: its caller was told")
    (tmp_path / ".devloop" / "state.db").unlink()
    log.flush()
    assert tools_in(log) == ["a", "b", "c"]


def test_what_waits_for_ever_has_a_bound_that_keeps_the_newest(
    log: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_READ", 3)
    spoil(tmp_path)
    for tool in "abcde":
        note(log, tool)
    with pytest.raises(StorageError):
        log.flush()
    (tmp_path / ".devloop" / "state.db").unlink()
    log.flush()
    assert tools_in(log) == ["c", "d", "e"]


def test_events_are_read_in_pages(log: EventLog) -> None:
    for number in range(7):
        note(log, f"t{number}")
    log.flush()
    first = log.read(0, limit=3)
    second = log.read(first[-1].id, limit=3)
    third = log.read(second[-1].id, limit=3)
    assert [len(page) for page in (first, second, third)] == [3, 3, 1]
    assert [event.id for event in [*first, *second, *third]] == list(range(1, 8))
    assert log.read(third[-1].id) == []


def test_the_newest_id_is_told(log: EventLog) -> None:
    assert log.last_id() == 0
    emit(log, "a")
    emit(log, "b")
    assert log.last_id() == 2


def test_a_reader_is_told_that_another_process_has_committed(tmp_path: Path) -> None:
    ours, theirs = EventLog(Database(tmp_path)), EventLog(Database(tmp_path))
    assert ours.changed()
    assert not ours.changed()
    emit(theirs, "a")
    assert ours.changed()
    assert not ours.changed()


def test_ids_rise_over_all_processes_and_threads_of_a_project(tmp_path: Path) -> None:
    logs = [EventLog(Database(tmp_path)) for _ in range(2)]

    def work(log: EventLog) -> None:
        for _ in range(10):
            emit(log, "a")

    threads = [threading.Thread(target=work, args=(log,)) for log in logs for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [event.id for event in logs[0].read(0)] == list(range(1, 41))
