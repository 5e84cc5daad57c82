"""How the CLI is told to start our server."""

import json
import subprocess
from pathlib import Path

import pytest

from devloop_tools.launch.mcp_config import mcp_config, server_command
from devloop_tools.settings import Flags, resolve

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "a",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}},
}


def command(flags: Flags) -> tuple[str, ...]:
    return server_command(flags, resolve(flags, {}))


def test_the_command_names_agent_and_folders_absolutely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "项目 a").mkdir()
    (tmp_path / "t").mkdir()
    flags = Flags(agent="devloop-coder", project_dir="项目 a", unit="-单元", tools_dir="t")
    assert command(flags)[5:] == (
        "--for-cli",
        "--protocol=legacy",
        "--agent=coder",
        f"--project-dir={tmp_path}/项目 a",
        "--unit=-单元",
        f"--tools-dir={tmp_path}/t",
    )


def test_a_project_of_a_data_folder_keeps_its_company_and_id(tmp_path: Path) -> None:
    (tmp_path / "companies/公司/projects/p1").mkdir(parents=True)
    flags = Flags(agent="pm", data_dir=str(tmp_path), company="公司", project="p1")
    assert command(flags)[8:11] == (
        f"--data-dir={tmp_path}",
        "--company=公司",
        "--project=p1",
    )


def test_the_command_starts_our_server_and_nothing_that_lies_in_the_project(
    tmp_path: Path,
) -> None:
    for trap in ("json.py", "os.py", "devloop_tools.py"):
        (tmp_path / trap).write_text("raise SystemExit('imported from the project')\n", "utf-8")
    done = subprocess.run(
        command(Flags(agent="pm", project_dir=str(tmp_path))),
        input=json.dumps(INITIALIZE).encode() + b"\n",
        cwd=tmp_path,
        env={},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.stderr == b""
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "devloop-tools"
    assert done.returncode == 0


def test_the_file_names_one_server_that_is_loaded_up_front_and_may_take_long() -> None:
    servers = mcp_config(("/bin/python3", "-P", "serve"))["mcpServers"]
    assert servers == {
        "devloop": {
            "type": "stdio",
            "command": "/bin/python3",
            "args": ["-P", "serve"],
            "env": {"PYTHONUTF8": "1"},
            "alwaysLoad": True,
            "timeout": 86_400_000,
        }
    }


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("/a/${HOME}/b", "/a/${DEVLOOP_TOOLS_NEVER_SET:-$}{HOME}/b"),
        ("${A}${B}", "${DEVLOOP_TOOLS_NEVER_SET:-$}{A}${DEVLOOP_TOOLS_NEVER_SET:-$}{B}"),
        ("$HOME {a} 价格$", "$HOME {a} 价格$"),
    ],
)
def test_a_folder_whose_name_looks_like_a_variable_is_kept_from_being_one(
    word: str, written: str
) -> None:
    entry = mcp_config((word, word))["mcpServers"]["devloop"]
    assert entry["command"] == written
    assert entry["args"] == [written]
