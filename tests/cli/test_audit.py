"""`devloop-tools audit`: every refusal and decision, with its rule."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.storage.database import Database

TRACE = {"file": "agents.json", "line": 7, "position": "templates[0].cli.toolPolicy[1]"}
REFUSED = {"tool": "Bash", "decision": "deny", "rule": "closed .devloop", **TRACE}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    log = EventLog(Database(tmp_path))

    def emit(agent: str, event: EventType, **data: Any) -> None:
        log.emit(Origin("p", agent, f"call-{agent}", "s", None), event, data)

    emit("coder", EventType.POLICY_REFUSED, **REFUSED, subject="cat .devloop/写", reason="关\n了")
    emit("coder", EventType.POLICY_DECIDED, tool="Bash", decision="allow", rule="allow Bash")
    emit("coder", EventType.TIMELINE_APPENDED, seq=1)
    emit("pm", EventType.TOOL_CALLED, tool="write_chapter", rule="allow write_*", ok=True)
    emit("pm", EventType.TOOL_FAILED, tool="write_chapter", rule="defer *", reason="no")
    emit("pm", EventType.TOOL_FAILED, tool="write_chapter", reason="arguments")
    emit("pm", EventType.TOOL_CRASHED, tool="write_chapter", rule="allow write_*", message="x")
    return tmp_path


def run(project: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["audit", "--project-dir", str(project), *words])


def records(project: Path, *words: str) -> Any:
    result = run(project, "--format", "json", *words)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_programs_get_a_list_of_records(project: Path) -> None:
    found = records(project)
    assert [(one["agent"], one["decision"], one["outcome"], one["rule"]) for one in found] == [
        ("coder", "deny", "refused", "closed .devloop"),
        ("coder", "allow", "passed", "allow Bash"),
        ("pm", "allow", "done", "allow write_*"),
        ("pm", "defer", "failed", "defer *"),
        ("pm", "allow", "crashed", "allow write_*"),
    ]
    assert found[0].items() >= {**TRACE, "call_id": "call-coder", "reason": "关\n了"}.items()


def test_a_reader_gets_a_table_with_the_reasons_of_refusals(project: Path) -> None:
    lines = run(project).stdout.splitlines()
    assert lines[0].split() == ["ts", "agent", "decision", "outcome", "tool", "rule"]
    assert lines[1].endswith("  coder  deny      refused  Bash           closed .devloop")
    assert lines[2:5] == ["  cat .devloop/写", "  关\\n了", "  agents.json:7"]
    assert len(lines) == 9


@pytest.mark.parametrize("agent", ["pm", "devloop-pm"])
def test_one_agent_alone(project: Path, agent: str) -> None:
    assert {one["agent"] for one in records(project, "--agent", agent)} == {"pm"}


def test_since_takes_a_span_and_a_time(project: Path) -> None:
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    hence = (datetime.now().astimezone() + timedelta(hours=1)).isoformat()
    assert len(records(project, "--since", "2h")) == 5
    assert len(records(project, "--since", hour_ago)) == 5
    assert records(project, "--since", hence) == []
    assert records(project, "--since", "0s") == []
    result = run(project, "--since", "gestern")
    assert (result.exit_code, "'gestern' is no time; write 30m" in result.stderr) == (2, True)


def test_a_project_without_events_has_an_empty_list_and_gets_no_database(tmp_path: Path) -> None:
    assert records(tmp_path) == []
    assert run(tmp_path).stdout.split() == ["ts", "agent", "decision", "outcome", "tool", "rule"]
    assert list(tmp_path.iterdir()) == []


SECRETS = {
    "sk-ant-REDACTED": "export ANTHROPIC_API_KEY=sk-ant-REDACTED",
    "hunter2hunter2": "curl -u li:hunter2hunter2 http://h/",
    "eyJhbGciOiJIUzI1NiJ9": "curl -H 'Authorization: Bearer eyJhbGciOiJIUzI1NiJ9' http://h/",
    "p4ssw0rd": "psql postgres://li:p4ssw0rd@db/x",
    "ghp_abcdefghijklmnopqrstuvwxyz0123": "git clone https://ghp_abcdefghijklmnopqrstuvwxyz0123@h",
    "MIIEow": "echo '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----'",
}


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_masked_before_they_are_written(secret: str, tmp_path: Path) -> None:
    log = EventLog(Database(tmp_path))
    origin = Origin("p", "coder", "c", "s", None)
    text = f"写 {SECRETS[secret]}"
    log.emit(origin, EventType.POLICY_REFUSED, {**REFUSED, "subject": text, "reason": text})
    log.emit(origin, EventType.TOOL_FAILED, {"tool": "x", "rule": "allow x", "reason": text})
    assert secret.encode() not in b"".join(
        file.read_bytes() for file in (tmp_path / ".devloop").glob("state.db*")
    )
    assert "•••" in records(tmp_path)[0]["subject"]
