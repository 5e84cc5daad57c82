"""The project folder of one agent: its paths, and the sandbox that every way in passes."""

import os
from pathlib import Path

import pytest

from devloop_tools.storage.errors import LockTimeout, ToolSandboxError
from devloop_tools.storage.locks import FileLocks
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace


def workspace(root: Path, *write_allow: str, read_allow: tuple[Path, ...] = ()) -> Workspace:
    return Workspace(root, Sandbox("pm", write_allow, read_allow=read_allow))


def test_each_store_has_one_path_of_its_agent(tmp_path: Path) -> None:
    pm = workspace(tmp_path)
    assert (pm.agent, pm.todo_list) == ("pm", "agent-state/pm-todo.json")
    assert pm.runtime_state == "agent-state/pm-runtime.json"
    assert pm.memory_folder == "memory/devloop/pm"
    assert pm.timeline == "timeline.ndjson"
    assert pm.unit_folder is None


def test_a_unit_has_a_folder(tmp_path: Path) -> None:
    coder = Workspace(tmp_path, Sandbox("coder"), unit_id="登录-be")
    assert coder.unit_folder == "units/登录-be"


def test_a_locked_file_is_written_and_read_back(tmp_path: Path) -> None:
    pm = workspace(tmp_path, "prd/**")
    with pm.locked("prd/./x/../登录.html") as file:
        file.replace("内容".encode())
    assert file.path == "prd/登录.html"
    assert pm.read("prd/登录.html") == "内容".encode()


def test_a_path_outside_the_write_list_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    pm = workspace(tmp_path, "prd/**")
    with pytest.raises(ToolSandboxError, match="pm may write prd"), pm.locked("sdd/a.html"):
        pytest.fail("it may not be written")
    with pytest.raises(ToolSandboxError, match="pm may write prd"):
        pm.beside("sdd/a.html")
    assert os.listdir(tmp_path) == []


def test_two_spellings_of_a_path_share_one_lock(tmp_path: Path) -> None:
    pm = workspace(tmp_path, "**")
    with pm.locked("prd//a.html"), pytest.raises(LockTimeout):
        with FileLocks(tmp_path, timeout_s=0.02).hold("prd/a.html"):
            pytest.fail("two holders")


def test_a_file_that_is_not_there_reads_as_none(tmp_path: Path) -> None:
    assert workspace(tmp_path).read("no/such/file") is None


@pytest.mark.parametrize("path", [".env", ".devloop/state.db", "../x", "/etc/hostname"])
def test_what_is_closed_to_reading_is_not_read(tmp_path: Path, path: str) -> None:
    (tmp_path / ".env").write_text("KEY=secret")
    with pytest.raises(ToolSandboxError):
        workspace(tmp_path, "**").read(path)


def test_a_folder_beside_the_project_is_read_without_following_links(tmp_path: Path) -> None:
    project, beside = tmp_path / "project", tmp_path / "kb"
    project.mkdir()
    beside.mkdir()
    (beside / "guide.md").write_bytes(b"guide")
    (beside / "leak").symlink_to("/etc/hostname")
    pm = workspace(project, read_allow=(beside,))
    assert pm.read(f"{beside}/guide.md") == b"guide"
    with pytest.raises(ToolSandboxError, match="leak: a link"):
        pm.read(f"{beside}/leak")
