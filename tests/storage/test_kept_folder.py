"""The folder that stays open: found again, made again, and never one that has been moved away."""

import gc
import os
from pathlib import Path

import pytest

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.folders import KeptFolder

NAMES = (".devloop", "locks")


def _is_at(fd: int, path: Path) -> bool:
    return os.path.samestat(os.fstat(fd), path.stat())


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_it_is_made_and_stays_open(tmp_path: Path) -> None:
    folder = KeptFolder(tmp_path, NAMES)
    first = folder.opened()
    assert _is_at(first.fd, tmp_path / ".devloop" / "locks")
    assert folder.opened() is first


@pytest.mark.parametrize("removed", [".devloop", ".devloop/locks"])
def test_one_that_was_moved_away_is_opened_and_made_anew(tmp_path: Path, removed: str) -> None:
    folder = KeptFolder(tmp_path, NAMES)
    before = folder.opened()
    os.rename(tmp_path / removed, tmp_path / "旧 old")
    after = folder.opened()
    assert _is_at(after.fd, tmp_path / ".devloop" / "locks")
    # Who uses the other one meanwhile, still can.
    assert not os.path.samestat(os.fstat(before.fd), os.fstat(after.fd))


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    folder = KeptFolder(tmp_path, NAMES)
    folder.opened()
    outside = tmp_path / "outside"
    os.rename(tmp_path / ".devloop", outside)
    (tmp_path / ".devloop").symlink_to(outside)
    (tmp_path / "outside" / "locks").rename(tmp_path / "moved")
    with pytest.raises(ToolSandboxError, match="links are not followed"):
        folder.opened()


def test_a_project_that_is_gone_is_named(tmp_path: Path) -> None:
    folder = KeptFolder(tmp_path / "gone", NAMES)
    with pytest.raises(StorageError, match="project folder can't be opened"):
        folder.opened()


def test_descriptors_are_closed_with_their_folders(tmp_path: Path) -> None:
    gc.collect()  # what earlier tests left behind is closed by now
    before = _descriptors()
    for number in range(5):
        (tmp_path / f"{number}").mkdir()
        folder = KeptFolder(tmp_path / f"{number}", NAMES)
        for _ in range(3):
            folder.opened()
            os.rename(tmp_path / f"{number}/.devloop", tmp_path / f"{number}/{_}")
    del folder
    gc.collect()
    assert _descriptors() == before
