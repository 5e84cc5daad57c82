"""The secret of a project: made once, kept from others."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.keys import KEY_BYTES, project_key

CHILD = "import sys; from devloop_tools.storage.keys import project_key; from pathlib import Path\n"
PRINT = "print(project_key(Path(sys.argv[1]), Path(sys.argv[2])).hex())"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "状态 state" / "keys"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "项目"


def key_file(folder: Path) -> Path:
    """The only file in the folder."""
    [file] = folder.iterdir()
    return file


def test_a_key_is_made_once(folder: Path, project: Path) -> None:
    key = project_key(folder, project)
    assert len(key) == KEY_BYTES
    assert project_key(folder, project) == key
    assert key_file(folder).read_bytes() == key


def test_each_project_has_its_own(folder: Path, project: Path) -> None:
    keys = {project_key(folder, project / name) for name in ("", "甲", "b")}
    assert len(keys) == len(list(folder.iterdir())) == 3


def test_nobody_else_can_read_it(folder: Path, project: Path) -> None:
    previous = os.umask(0)
    try:
        project_key(folder, project)
    finally:
        os.umask(previous)
    assert key_file(folder).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622, 0o644])
def test_one_that_others_can_touch_is_refused(folder: Path, project: Path, mode: int) -> None:
    project_key(folder, project)
    key_file(folder).chmod(mode)
    with pytest.raises(StorageError, match="others can read the project's key; remove it"):
        project_key(folder, project)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_one_that_belongs_to_another_user_is_refused(folder: Path, project: Path) -> None:
    project_key(folder, project)
    os.chown(key_file(folder), 65534, -1)
    with pytest.raises(StorageError, match="others can read"):
        project_key(folder, project)


@pytest.mark.parametrize("content", [b"", b"short", bytes(KEY_BYTES + 1)])
def test_a_damaged_one_is_named_and_never_replaced(
    folder: Path, project: Path, content: bytes
) -> None:
    project_key(folder, project)
    key_file(folder).write_bytes(content)
    with pytest.raises(StorageError, match="damaged; remove it"):
        project_key(folder, project)
    assert key_file(folder).read_bytes() == content


def _link(file: Path) -> None:
    elsewhere = file.parent.parent / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


@pytest.mark.parametrize("replace", [_link, _folder, _pipe])
def test_what_is_no_file_is_refused(
    folder: Path, project: Path, replace: Callable[[Path], None]
) -> None:
    project_key(folder, project)
    replace(key_file(folder))
    with pytest.raises(StorageError):
        project_key(folder, project)


def test_where_no_folder_can_be_that_is_said(tmp_path: Path, project: Path) -> None:
    (tmp_path / "file").write_text("不是文件夹", encoding="utf-8")
    with pytest.raises(StorageError, match="the project's key can't be kept in"):
        project_key(tmp_path / "file" / "keys", project)


def test_threads_that_need_it_at_once_get_the_same(folder: Path, project: Path) -> None:
    with ThreadPoolExecutor(16) as threads:
        for count in range(20):
            root = project / str(count)
            keys = set(threads.map(lambda _, root=root: project_key(folder, root), range(16)))
            assert len(keys) == 1
    assert {file.suffix for file in folder.iterdir()} == {".key"}


def test_servers_that_need_it_at_once_get_the_same(folder: Path, project: Path) -> None:
    words = [sys.executable, "-c", CHILD + PRINT, str(folder), str(project)]
    children = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(6)]
    printed = [child.communicate(timeout=30)[0] for child in children]
    assert set(printed) == {project_key(folder, project).hex().encode() + b"\n"}
    assert key_file(folder).suffix == ".key"
