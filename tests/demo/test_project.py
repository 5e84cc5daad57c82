import shutil
from pathlib import Path

import pytest

from devloop_tools.demo.agent_server import DemoFailed
from devloop_tools.demo.project import prepared


def test_a_new_folder_is_made_and_an_empty_one_is_taken(tmp_path: Path) -> None:
    made = prepared(tmp_path / "新/todo", typescript=False)
    assert made.root.is_dir()
    assert prepared(made.root, typescript=False).root == made.root


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    for folder in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(DemoFailed, match="is not empty"):
            prepared(folder, typescript=False)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_typescript_without_node_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(DemoFailed, match="there is no node"):
        prepared(tmp_path / "new", typescript=True)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("version", "fault"), [("v18.1.0", "or later, not v18"), ("v22", "Vitest")]
)
def test_an_old_node_or_no_vitest_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fault: str
) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DemoFailed, match=fault):
        prepared(tmp_path / "new", typescript=True)


def test_a_line_that_is_not_there_is_said(tmp_path: Path) -> None:
    project = prepared(tmp_path / "new", typescript=False)
    path = project.copy("todo_be/first/todo.py", "units/todo-be/todo.py")
    assert project.line(path, 1).startswith('"""The todos')
    with pytest.raises(DemoFailed, match=r"todo\.py:9999: there is no such line"):
        project.line(path, 9999)
