"""`devloop-tools call`: one call of one tool, as its exit code and output tell."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.server.conftest import timeline_of
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app
from devloop_tools.domain.agent_clis import record_cli
from devloop_tools.rpc.ancestry import ancestors
from devloop_tools.storage.database import Database

PACK = '''
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, refused, tool
from devloop_tools.toolkit.content import Image, Text


class NoInput(ToolInput):
    pass


@tool(READ)
async def prose(args: NoInput, ctx: ToolContext) -> str | Refused:
    """Refuse in prose."""
    return refused("不行", "Try something else.")


@tool(READ)
async def picture(args: NoInput, ctx: ToolContext) -> Image:
    """Show."""
    return Image(b"\\x89PNG", "image/png")


@tool(READ)
def crash(args: NoInput, ctx: ToolContext) -> str:
    """Fail."""
    raise RuntimeError("磁盘满")
'''

AGENTS = {
    "templates": [
        {
            "id": "devloop-pm",
            "cli": {"toolPolicy": ["*"]},
            "sandbox": {"writeAllowList": ["timeline.ndjson", "agent-state/**"]},
        }
    ]
}


KNOWN = "; devloop-tools dump-schema --agent pm lists its tools"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for folder in ("project", "tools.d/packs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tools.d" / "agents.json").write_text(json.dumps(AGENTS), encoding="utf-8")
    return tmp_path / "project"


def call(project: Path, *words: str, agent: str = "pm") -> Result:
    tools_dir = project.parent / "tools.d"
    flags = ["--agent", agent, "--project-dir", str(project), "--tools-dir", str(tools_dir)]
    return CliRunner().invoke(app, ["call", *words, *flags])


def test_a_call_that_did_its_work_prints_its_result_and_ends_with_0(project: Path) -> None:
    done = call(project, "timeline_append", '{"event":"单元.built","summary":"好了 done"}')
    assert (done.exit_code, done.stdout, done.stderr) == (0, '{"ok":true,"seq":1}\n', "")
    [line] = timeline_of(project)
    assert (line["event"], line["summary"], line["agent"]) == ("单元.built", "好了 done", "pm")


def test_an_expected_failure_is_printed_and_ends_with_1(project: Path) -> None:
    done = call(project, "update_todo_item", '{"id":"step-001","status":"done"}')
    assert done.exit_code == 1
    assert json.loads(done.stdout)["ok"] is False
    assert timeline_of(project)[0]["event"] == "tool.failed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["timeline_append", '{"evemt":"e"}'], "Invalid arguments for timeline_append:\n- e"),
        (["timeline_append"], "Invalid arguments for timeline_append:\n- event: "),
        (["不存在"], f"devloop-tools: Unknown tool: 不存在{KNOWN}\n"),
        (["Bash", "{}"], f"devloop-tools: Unknown tool: Bash{KNOWN}\n"),
        (["timeline_append", "{"], "devloop-tools: the arguments are not JSON: "),
        (["timeline_append", "[]"], "devloop-tools: the arguments must be a JSON object"),
        (["timeline_append", '{"event":NaN}'], "devloop-tools: the arguments are not JSON: "),
        (["timeline_append", '{"event":"\udcff"}'], "devloop-tools: the arguments are not JSON: "),
    ],
)
def test_what_can_not_be_called_is_said_on_stderr_and_ends_with_2(
    words: list[str], said: str, project: Path
) -> None:
    done = call(project, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


def test_flags_and_files_that_can_not_be_used_end_with_2(project: Path) -> None:
    unknown = call(project, "timeline_append", agent="不存在")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("devloop-tools: unknown agent: 不存在; ")
    gone = call(project / "gone", "timeline_append")
    assert gone.exit_code == 2
    assert "\n" not in gone.stderr.rstrip("\n")


def test_tools_of_packs_can_be_called_whatever_they_return(project: Path) -> None:
    (project.parent / "tools.d" / "packs" / "more.py").write_text(PACK, encoding="utf-8")
    prose, picture, crash = (call(project, name) for name in ("prose", "picture", "crash"))
    assert (prose.exit_code, json.loads(prose.stdout)["reason"]) == (1, "不行")
    assert picture.exit_code == 0
    assert json.loads(picture.stdout) == {
        "type": "image",
        "data": "iVBORw==",
        "mimeType": "image/png",
    }
    assert (crash.exit_code, crash.stdout) == (2, "")
    assert "crash failed: RuntimeError: 磁盘满\nerror id: err-" in crash.stderr


def test_what_is_wrong_with_a_pack_is_said_and_the_call_goes_on(project: Path) -> None:
    (project.parent / "tools.d" / "packs" / "broken.py").write_text("1/0")
    done = call(project, "timeline_append", '{"event":"e"}')
    assert done.exit_code == 0
    assert done.stderr.startswith("devloop-tools: pack broken.py: ")


def test_the_output_is_utf8_whatever_the_environment_says(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1"))
    items = '{"patch":{"阶段":"测试"}}'
    flags = ["--agent", "pm", "--project-dir", str(project)]
    flags += ["--tools-dir", str(project.parent / "tools.d")]
    with pytest.raises(SystemExit, match="0"):
        app(["call", "update_runtime_state", items, *flags])
    assert '"阶段":"测试"'.encode() in written.getvalue()


def test_below_an_agents_cli_nothing_is_called(project: Path) -> None:
    found = ancestors()[-1]
    record_cli(Database(project), found.pid, found.started, "coder")
    result = call(project, "timeline_append", '{"event": "unit.built"}')
    assert result.exit_code == 2
    assert result.stderr == (
        "devloop-tools: call is for the people who run the agents, and coder's CLI has started it; "
        "call the tools you have\n"
    )
    assert timeline_of(project) == []
