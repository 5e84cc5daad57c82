import os
from pathlib import Path

import pytest

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.listing import files_below
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace


def test_files_are_listed_by_path_and_links_are_not(tmp_path: Path) -> None:
    for name in ("site/乙/b.html", "site/a.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("中文", encoding="utf-8")
    (tmp_path / "site/link.html").symlink_to(tmp_path / "site/a.html")
    (tmp_path / "site/out").symlink_to("/")
    found = Workspace(tmp_path, Sandbox("pm")).files_below("site")
    assert [(file.path, file.size) for file in found] == [("a.html", 6), ("乙/b.html", 6)]


def test_folders_that_are_left_out_are_not_entered(tmp_path: Path) -> None:
    for name in ("unit/a.py", "unit/node_modules/x.js", "unit/b/node_modules/x.js", "unit/.git/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "unit/.hidden").touch()
    found = Workspace(tmp_path, Sandbox("coder")).files_below("unit", without={"node_modules"})
    assert [file.path for file in found] == [".hidden", "a.py"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert files_below(tmp_path, ("没有",), "pm") == []


def test_a_stamp_changes_with_the_file_even_where_size_and_time_do_not(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("一", encoding="utf-8")
    before = files_below(tmp_path, (), "pm")[0]
    other = tmp_path / "b"
    other.write_text("二", encoding="utf-8")
    info = file.stat()
    os.utime(other, ns=(info.st_atime_ns, info.st_mtime_ns))
    other.replace(file)
    after = files_below(tmp_path, (), "pm")[0]
    assert (before.size, before.stamp != after.stamp) == (after.size, True)


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to("/")
    with pytest.raises(ToolSandboxError, match="links are not followed"):
        files_below(tmp_path, ("site",), "pm")


def test_too_many_files_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devloop_tools.storage.listing.MAX_LISTED", 2)
    for number in range(3):
        (tmp_path / f"{number}").touch()
    with pytest.raises(StorageError, match="more than 2 files"):
        files_below(tmp_path, (), "pm")
