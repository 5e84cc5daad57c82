"""`devloop-tools events`: print what happened."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.storage.database import Database

WHO = Origin("项目", "coder", "call-1", "session-1", "登录")


def commit(root: Path, count: int) -> None:
    log = EventLog(Database(root))
    for number in range(count):
        log.emit(WHO, EventType.MEMORY_RECORDED, {"id": f"记 {number}\u2028\n"})


def printed(root: Path, *more: str) -> Result:
    return CliRunner().invoke(app, ["events", "--project-dir", str(root), *more])


def test_each_event_is_a_line_of_json_oldest_first(tmp_path: Path) -> None:
    commit(tmp_path, 3)
    ended = printed(tmp_path)
    events = [json.loads(line) for line in ended.stdout_bytes.split(b"\n")[:-1]]
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert [event["id"] for event in events] == [1, 2, 3]
    assert events[0] | {"ts": ""} == {
        "id": 1, "type": "memory.recorded", "ts": "", "project_id": "项目", "agent": "coder",
        "unit_id": "登录", "call_id": "call-1", "session_id": "session-1",
        "data": {"id": "记 0\u2028\n"},
    }  # fmt: skip


def test_server_sent_events_have_id_type_and_one_line_of_data(tmp_path: Path) -> None:
    commit(tmp_path, 2)
    blocks = printed(tmp_path, "--format", "sse").stdout_bytes.split(b"\n\n")
    fields = [line.partition(b": ") for line in blocks[1].split(b"\n")]
    assert [name for name, _, _ in fields] == [b"id", b"event", b"data"]
    assert (fields[0][2], fields[1][2]) == (b"2", b"memory.recorded")
    assert json.loads(fields[2][2])["data"] == {"id": "记 1\u2028\n"}
    assert blocks[2] == b""


@pytest.mark.parametrize(
    ("after", "ids"), [("0", [1, 2, 3]), ("2", [3]), ("3", []), (str(2**63 - 1), [])]
)
def test_only_events_after_the_given_one_are_printed(
    tmp_path: Path, after: str, ids: list[int]
) -> None:
    commit(tmp_path, 3)
    lines = printed(tmp_path, "--after", after).stdout_bytes.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ids


@pytest.mark.parametrize(
    "more", [["--after", "-1"], ["--after", str(2**63)], ["--after", "新"], ["--format", "xml"]]
)
def test_what_can_t_be_asked_is_refused(tmp_path: Path, more: list[str]) -> None:
    ended = printed(tmp_path, *more)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr


def test_looking_makes_no_database(tmp_path: Path) -> None:
    ended = printed(tmp_path)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_project_that_is_none_and_a_database_that_is_broken_are_named(tmp_path: Path) -> None:
    missing = printed(tmp_path / "没有")
    (tmp_path / ".devloop").mkdir()
    (tmp_path / ".devloop" / "state.db").write_bytes("不是 a database".encode() * 500)
    broken = printed(tmp_path)
    assert (missing.exit_code, broken.exit_code) == (2, 2)
    assert "does not exist" in missing.stderr
    assert broken.stderr.startswith("devloop-tools: .devloop/state.db")
    assert broken.stderr.count("\n") == 1
