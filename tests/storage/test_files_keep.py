"""A file that is replaced goes on under another name, whole and on disk, before it is gone."""

import errno
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile

OLD, NEW = "旧 old".encode(), "新 new".encode()


def file(root: Path, path: str) -> ProjectFile:
    return ProjectFile(root, tuple(path.split("/")), "pm")


@pytest.fixture
def plan(tmp_path: Path) -> ProjectFile:
    plan = file(tmp_path, "state/plan.json")
    plan.replace(OLD)
    return plan


def kept(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "state/history").glob("*")}


def replace(plan: ProjectFile, *names: str) -> None:
    plan.replace(NEW, keep=(file(plan.root, f"state/history/{name}") for name in names))


def test_the_old_content_is_kept_under_the_first_free_name(
    plan: ProjectFile, tmp_path: Path
) -> None:
    replace(plan, "一.json", "二.json")
    assert (plan.read(), kept(tmp_path)) == (NEW, {"一.json": OLD})


def test_names_that_are_taken_are_passed_over_and_left_alone(
    plan: ProjectFile, tmp_path: Path
) -> None:
    taken = file(tmp_path, "state/history/一.json")
    taken.replace(b"earlier")
    replace(plan, "一.json", "二.json")
    assert kept(tmp_path) == {"一.json": b"earlier", "二.json": OLD}


def test_where_every_name_is_taken_nothing_is_replaced(plan: ProjectFile, tmp_path: Path) -> None:
    file(tmp_path, "state/history/一.json").replace(b"earlier")
    with pytest.raises(StorageError, match=r"state/plan\.json: no name is free"):
        replace(plan, "一.json")
    assert (plan.read(), kept(tmp_path)) == (OLD, {"一.json": b"earlier"})


def test_a_file_that_is_not_there_leaves_nothing_to_keep(tmp_path: Path) -> None:
    plan = file(tmp_path, "state/plan.json")
    replace(plan, "一.json")
    assert plan.read() == NEW
    assert not (tmp_path / "state/history").exists()


def test_what_is_kept_has_no_second_name_and_no_copy_is_made(
    plan: ProjectFile, tmp_path: Path
) -> None:
    before = (tmp_path / "state/plan.json").stat()
    replace(plan, "一.json")
    after = (tmp_path / "state/history/一.json").stat()
    assert (after.st_ino, after.st_nlink) == (before.st_ino, 1)


def test_a_file_that_has_a_second_name_is_copied(plan: ProjectFile, tmp_path: Path) -> None:
    os.link(tmp_path / "state/plan.json", tmp_path / "mine")
    replace(plan, "一.json")
    (tmp_path / "mine").write_bytes(b"written in place")
    assert kept(tmp_path) == {"一.json": OLD}


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV])
def test_where_there_are_no_second_names_it_is_copied(
    code: int, plan: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    file(tmp_path, "state/history/一.json").replace(b"earlier")
    replace(plan, "一.json", "二.json")
    assert kept(tmp_path) == {"一.json": b"earlier", "二.json": OLD}
    assert plan.read() == NEW


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_what_fails_leaves_the_file_as_it_was_and_nothing_beside_it(
    step: str, plan: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "state/history").mkdir()
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(StorageError, match=r"^state/plan\.json: Input/output error"):
        replace(plan, "一.json")
    monkeypatch.undo()
    assert plan.read() == OLD
    assert sorted(os.listdir(tmp_path / "state")) == ["history", "plan.json"]
    assert kept(tmp_path) == {}


def test_when_only_the_last_sync_fails_the_old_content_is_still_there(
    plan: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, sync = (tmp_path / "state").stat().st_ino, os.fsync

    def fail(fd: int) -> None:
        if os.fstat(fd).st_ino == folder and plan.read() == NEW:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(fd)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError):
        replace(plan, "一.json")
    assert kept(tmp_path) == {"一.json": OLD}


def test_a_file_that_is_swapped_meanwhile_is_not_kept_as_the_old_one(
    plan: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, path = os.link, tmp_path / "state/plan.json"

    def swapped(*names: str, **how: Any) -> None:
        path.unlink()
        path.symlink_to("/etc/hostname")
        link(*names, **how)

    monkeypatch.setattr(os, "link", swapped)
    with pytest.raises(ToolSandboxError, match="swapped"):
        replace(plan, "一.json")
    assert kept(tmp_path) == {}


def test_a_folder_that_is_a_link_keeps_nothing(plan: ProjectFile, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state/history").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolSandboxError):
        replace(plan, "一.json")
    assert (plan.read(), os.listdir(tmp_path / "elsewhere")) == (OLD, [])
