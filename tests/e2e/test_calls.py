"""The real CLI calls tools of a server that it started as `cli-args` told it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import HEADLESS
from tests.e2e.messages_stub import Call, Step

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.registry.discovery import discover
from devloop_tools.settings import resolve_tools_dir

pytestmark = pytest.mark.e2e

NATIVE = {
    "pm": ["Read", "Write"],
    "architect": ["Read", "Write"],
    "coder": ["Bash", "Edit", "Read", "Write"],
    "tester": ["Bash", "Read", "Write"],
    "integrator": ["Bash", "Read"],
    "bug-triager": ["Read"],
}
SESSION = "6b0f6d0c-9f61-4b0e-8d3f-2f1c6a6f0f11"
PLAN = {
    "items": [
        {"id": "step-001", "description": "写登录页的测试 (login page)"},
        {"id": "step-002", "description": "实现它", "depends_on": ["step-001"]},
    ]
}
WRITE_PLAN = Call("mcp__devloop__write_todolist", PLAN)


def granted(agent: str) -> list[str]:
    """The CLI's names for our tools that the shipped file grants the agent, and that exist."""
    file = json_file(resolve_tools_dir(None) / "agents.json")
    [template] = [known for known in file["templates"] if known["id"] == f"devloop-{agent}"]
    there = {entry.name for entry in discover(TOOLS_PACKAGE)}
    return [f"mcp__devloop__{name}" for name in template["cli"]["toolPolicy"] if name in there]


def json_file(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("agent", NATIVE)
def test_the_models_call_lands_as_a_file_and_it_sees_what_the_policy_grants(
    agent: str, make_host: MakeHost, project: Path
) -> None:
    host, model = make_host(Step("我先写计划。", (WRITE_PLAN,)))
    run = host.run(host.line(agent), "请计划 the login page")
    assert run.init["mcp_servers"] == [
        {"name": "devloop", "status": "connected", "source": "dynamic"}
    ]
    assert sorted(run.init["tools"]) == sorted([*NATIVE[agent], *granted(agent)])
    assert run.init["permissionMode"] == "dontAsk"
    (result,) = model.results
    path = f"agent-state/{agent}-todo.json"
    assert json.loads(result.text) == {"ok": True, "total": 2, "path": path}
    written = json_file(project / path)
    assert [item["description"] for item in written["items"]] == [
        "写登录页的测试 (login page)",
        "实现它",
    ]
    assert run.returncode == 0
    assert run.result["is_error"] is False


def test_the_model_reads_the_agents_prompt_and_uses_its_model(make_host: MakeHost) -> None:
    host, model = make_host()
    run = host.run(host.line("architect"), "你好")
    request = model.requests[0]
    system = json.dumps(request["system"], ensure_ascii=False)
    assert "You turn the requirements under `prd/` into a design" in system
    assert "中文与英文可以混用" in system
    assert request["model"] == run.init["model"] == "claude-sonnet-4-6"


def test_a_call_carries_the_clis_session_and_the_models_call_id(
    make_host: MakeHost, project: Path
) -> None:
    event = {"event": "unit.built", "summary": "登录页好了"}
    host, _ = make_host(Step(calls=(Call("mcp__devloop__timeline_append", event),)))
    run = host.run(host.line("coder", "--session", SESSION), "go")
    line = json.loads((project / "timeline.ndjson").read_text(encoding="utf-8"))
    assert run.init["session_id"] == line["session_id"] == SESSION
    assert line["call_id"] == "toolu_00000000"
    assert (line["agent"], line["unit_id"], line["summary"]) == ("coder", "todo-be", "登录页好了")


def test_hostile_names_reach_cli_and_server_word_for_word(
    make_host: MakeHost, tmp_path: Path
) -> None:
    """H-D07"""
    hostile = tmp_path / "a b,c'd\"e ${HOME} $(id) 列出\n第二行"
    host, model = make_host(Step(calls=(WRITE_PLAN,)))
    host.project, host.scratch = hostile / "project", hostile / "--help"
    host.project.mkdir(parents=True)
    host.scratch.mkdir()
    prompt = "--help 列出\n第二行"
    shell = f'{host.cli_args("--agent", "pm").decode().strip()} {" ".join(HEADLESS)} -- "$0"'
    done = subprocess.run(
        ["sh", "-c", shell, prompt],
        env=host.environment,
        cwd=host.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[0])["mcp_servers"][0]["status"] == "connected"
    assert json_file(host.project / "agent-state/pm-todo.json")["items"][1]["id"] == "step-002"
    assert prompt in json.dumps(model.requests[0]["messages"], ensure_ascii=False).replace(
        "\\n", "\n"
    )


def test_what_is_not_granted_does_not_exist_and_never_runs(
    slow_host: MakeHost, project: Path
) -> None:
    forbidden = (
        Call("mcp__devloop__not_granted"),
        Call("mcp__devloop__bug_open", {"title": "登录失败"}),
        Call("Bash", {"command": "touch it-ran", "description": "try"}),
    )
    host, model = slow_host(Step(calls=forbidden))
    host.run(host.line("pm"), "go")
    assert [result.is_error for result in model.results] == [True, True, True]
    for call, result in zip(forbidden, model.results, strict=True):
        assert f"No such tool available: {call.tool}" in result.text
    assert not (project / "it-ran").exists()
    assert not (project / "timeline.ndjson").exists()


def test_a_bad_argument_is_told_to_the_model_by_its_field(
    make_host: MakeHost, project: Path
) -> None:
    bad = {"items": [{"id": "第一步", "description": ""}], "extra": 1}
    host, model = make_host(Step(calls=(Call("mcp__devloop__write_todolist", bad),)))
    run = host.run(host.line("pm"), "go")
    (result,) = model.results
    assert result.is_error
    for field in ("items[0].id", "items[0].description", "extra"):
        assert f"- {field}: " in result.text
    assert "第一步" in result.text
    assert not (project / "agent-state").exists()
    assert run.returncode == 0


def test_an_expected_failure_is_no_error_and_says_what_to_do(make_host: MakeHost) -> None:
    update = {"id": "step-001", "status": "done"}
    host, model = make_host(Step(calls=(Call("mcp__devloop__update_todo_item", update),)))
    host.run(host.line("pm"), "go")
    (result,) = model.results
    assert not result.is_error
    answer = json.loads(result.text)
    assert answer["ok"] is False
    assert answer["hint"] == "Call write_todolist first."


@pytest.mark.skipif(os.geteuid() == 0, reason="the CLI refuses to skip permissions for root")
def test_with_permissions_skipped_the_policy_still_decides(
    slow_host: MakeHost, project: Path
) -> None:
    calls = (
        Call("mcp__devloop__not_granted"),
        Call("mcp__devloop__timeline_append", {"event": "测"}),
    )
    host, model = slow_host(Step(calls=calls))
    run = host.run(host.line("pm", "--skip-permissions"), "go")
    assert run.init["permissionMode"] == "bypassPermissions"
    assert [result.is_error for result in model.results] == [True, False]
    assert not (project / "it-ran").exists()
    assert (project / "timeline.ndjson").exists()


def test_no_key_of_the_cli_reaches_the_server(slow_host: MakeHost) -> None:
    host, model = slow_host(Step(calls=(Call("mcp__devloop__server_process"),)))
    host.run(host.line("pm"), "go")
    names = set(json.loads(model.results[0].text)["environ"])
    assert {"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "PYTHONUTF8"} <= names
    assert not [name for name in names if name.startswith("ANTHROPIC")]
