"""`devloop-tools cli-args`, as a host calls it."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app
from devloop_tools.launch.files import KEPT_S

AGENTS = ["pm", "architect", "coder", "tester", "integrator", "bug-triager"]
SESSION = "6b0f6d0c-9f61-4b0e-8d3f-2f1c6a6f0f11"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目 demo"
    folder.mkdir()
    return folder


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the files go; nothing else of the environment counts."""
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return folder


pytestmark = pytest.mark.usefixtures("runtime")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["cli-args", *words])


def printed(*words: str) -> dict[str, Any]:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def server_arguments(line: dict[str, Any]) -> list[str]:
    config = json.loads(Path(line["files"][0]).read_text(encoding="utf-8"))
    arguments: list[str] = config["mcpServers"]["devloop"]["args"]
    return arguments


def tools_dir(folder: Path, *templates: dict[str, Any]) -> str:
    folder.mkdir(exist_ok=True)
    text = json.dumps({"templates": templates}, ensure_ascii=False)
    (folder / "agents.json").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_shipped_agent_gets_a_command_line_with_its_own_prompt(
    agent: str, project: Path, runtime: Path
) -> None:
    result = run(
        *("--agent", agent, "--project-dir", str(project), "--unit", "todo-be"),
        *("--format", "json", "--session", SESSION),
    )
    line = json.loads(result.stdout)
    assert result.stderr == ""
    assert list(line) == ["argv", "env", "files"]
    prompt = next(word for word in line["argv"] if word.startswith("--append-system-prompt-file="))
    assert Path(prompt.partition("=")[2]).name == f"{agent}.md"
    assert line["argv"][1] == f"--mcp-config={line['files'][0]}"
    assert line["argv"][-1] == f"--session-id={SESSION}"
    assert Path(line["files"][0]).parent.parent == runtime / "devloop-tools"
    assert f"--agent={agent}" in server_arguments(line)


def test_an_agent_is_named_by_its_id_too(project: Path) -> None:
    line = printed("--agent", "devloop-pm", "--project-dir", str(project))
    assert "--agent=pm" in server_arguments(line)


def test_the_files_are_private(project: Path) -> None:
    for dialect in ("claude", "acp"):
        line = printed("--agent", "pm", "--project-dir", str(project), "--dialect", dialect)
        for file in map(Path, line["files"]):
            assert file.stat().st_mode & 0o777 == 0o600
            assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("dialect", ["claude", "acp"])
def test_the_shell_gives_on_exactly_the_words_of_the_json(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H-D07"""
    hostile = tmp_path / "a b,c'd\"e $(id) `id` \\ 列出\n第二行"
    runtime = hostile / "--help"
    runtime.mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    claude = hostile / "claude"
    claude.write_text(
        '#!/bin/sh\nprintf "%s\\0" "$0" "$@" "$CLAUDE_CODE_MCP_ALLOWLIST_ENV"\n', encoding="utf-8"
    )
    claude.chmod(0o755)
    words = ("--agent", "pm", "--project-dir", str(hostile), "--claude", str(claude))
    line = run(*words, "--dialect", dialect).stdout
    seen = subprocess.run(["sh", "-c", line], capture_output=True, check=True, timeout=30)
    *argv, allowlist = seen.stdout.decode().split("\0")[:-1]
    expected = printed(*words, "--dialect", dialect)
    assert without_run(argv) == without_run(expected["argv"])
    assert allowlist == expected["env"].get("CLAUDE_CODE_MCP_ALLOWLIST_ENV", "")


def without_run(argv: list[str]) -> list[str]:
    """The words with the name of the run taken out, which is never the same."""
    return [
        f"{os.path.dirname(os.path.dirname(word))}/RUN/{os.path.basename(word)}"
        if word.endswith(".json")
        else word
        for word in argv
    ]


def test_the_shell_form_is_one_line_that_begins_with_env(project: Path) -> None:
    result = run("--agent", "pm", "--project-dir", str(project), "--claude", "claude")
    assert result.stdout.count("\n") == 1
    words = shlex.split(result.stdout)
    assert words[:3] == ["env", "CLAUDE_CODE_MCP_ALLOWLIST_ENV=1", "claude"]
    assert "-p" not in words


def test_a_hostile_project_folder_reaches_the_server_word_for_word(tmp_path: Path) -> None:
    """H-D07"""
    folder = tmp_path / "a b,c'd\"e ${HOME} 列出\n第二行"
    folder.mkdir()
    arguments = server_arguments(printed("--agent", "pm", "--project-dir", str(folder)))
    escaped = str(folder).replace("${", "${DEVLOOP_TOOLS_NEVER_SET:-$}{")
    assert f"--project-dir={escaped}" in arguments


def test_the_project_folder_is_written_absolute(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    wanted = f"--project-dir={project}"
    assert wanted in server_arguments(printed("--agent", "pm"))
    assert wanted in server_arguments(printed("--agent", "pm", "--project-dir", "."))
    monkeypatch.chdir("/")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))
    assert wanted in server_arguments(printed("--agent", "pm"))


def test_a_prompt_of_the_data_folder_goes_before_one_of_the_tools_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "companies/c/projects/p").mkdir(parents=True)
    (data / "prompts").mkdir()
    (data / "prompts/pm.md").write_text("你是产品经理\n", encoding="utf-8")
    line = printed("--agent", "pm", "--data-dir", str(data), "--company", "c", "--project", "p")
    assert f"--append-system-prompt-file={data}/prompts/pm.md" in line["argv"]
    assert f"--data-dir={data}" in server_arguments(line)


def test_a_prompt_that_is_nowhere_is_left_out_with_a_line(project: Path, tmp_path: Path) -> None:
    template = {"id": "devloop-pm", "cli": {"systemPromptFile": "系统/pm.md"}}
    folder = tools_dir(tmp_path / "tools", template)
    words = ("--agent", "pm", "--project-dir", str(project), "--tools-dir", folder)
    result = run(*words)
    assert result.exit_code == 0
    assert result.stderr == f"devloop-tools: system prompt 系统/pm.md: not in {folder}; left out\n"
    assert "--append-system-prompt-file" not in result.stdout
    assert run(*words, "--dialect", "acp").stderr == ""


@pytest.mark.parametrize("agent", ["coder", "tester"])
def test_an_agent_of_a_unit_must_be_told_which(agent: str, project: Path) -> None:
    result = run("--agent", agent, "--project-dir", str(project))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--unit is missing" in result.stderr
    line = printed("--agent", agent, "--project-dir", str(project), "--unit", "单元-1")
    assert "--unit=单元-1" in server_arguments(line)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--agent", "boss"), "unknown agent: boss"),
        (("--agent", "pm", "--project-dir", "/no/such"), "the project folder /no/such does not"),
        (("--agent", "pm", "--tools-dir", "/no/such"), "--tools-dir: /no/such is not a folder"),
        (("--agent", "pm", "--session", "一"), "--session: '一' is no UUID"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_exit_code_2(
    words: tuple[str, ...], reason: str, runtime: Path, project: Path
) -> None:
    place = () if "--project-dir" in words else ("--project-dir", str(project))
    result = run(*words, *place)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(runtime.glob("devloop-tools/*")) == []


def test_an_unknown_tool_is_an_error_for_its_agent_alone(project: Path, tmp_path: Path) -> None:
    folder = tools_dir(
        tmp_path / "tools",
        {"id": "devloop-pm", "cli": {"toolPolicy": ["Read", "wirte_todolist"]}},
        {"id": "devloop-architect", "cli": {"toolPolicy": ["Read"]}},
    )
    words = ("--project-dir", str(project), "--tools-dir", folder)
    result = run("--agent", "pm", *words)
    assert result.exit_code == 2
    assert "unknown tool: wirte_todolist (did you mean write_todolist?)" in result.stderr
    assert run("--agent", "architect", *words).exit_code == 0


def test_skipping_permissions_follows_who_asks(project: Path) -> None:
    result = run("--agent", "pm", "--project-dir", str(project), "--skip-permissions")
    if os.geteuid() == 0:
        assert result.exit_code == 2
        assert "for root; run as another user" in result.stderr
    else:
        assert "--dangerously-skip-permissions" in shlex.split(result.stdout)


def test_a_folder_that_is_not_private_is_refused(project: Path, runtime: Path) -> None:
    (runtime / "devloop-tools").mkdir(mode=0o755)
    result = run("--agent", "pm", "--project-dir", str(project))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "its mode is 0755, not 0700" in result.stderr


def test_old_runs_are_swept(project: Path) -> None:
    old = Path(printed("--agent", "pm", "--project-dir", str(project))["files"][0]).parent
    before = old.stat().st_mtime - KEPT_S - 60
    os.utime(old, (before, before))
    new = Path(printed("--agent", "pm", "--project-dir", str(project))["files"][0])
    assert not old.exists()
    assert new.exists()
