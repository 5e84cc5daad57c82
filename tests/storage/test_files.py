"""Files that are replaced: whole before and after, whatever happens in between."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.storage.conftest import Start

from devloop_tools.storage import files
from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile


def project_file(root: Path, path: str) -> ProjectFile:
    return ProjectFile(root, tuple(path.split("/")), "pm")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("content", [b"", b"x", "登录 and logout\r\n".encode(), bytes(range(256))])
def test_what_was_written_is_read_back(tmp_path: Path, content: bytes) -> None:
    file = project_file(tmp_path, "prd/登录/chapter one.html")
    file.replace(content)
    assert file.read() == content
    assert file.path == "prd/登录/chapter one.html"


def test_a_shorter_text_leaves_nothing_of_the_longer_one(tmp_path: Path) -> None:
    file = project_file(tmp_path, "a.json")
    file.replace(b"x" * 100_000)
    file.replace(b"{}")
    assert (tmp_path / "a.json").read_bytes() == b"{}"


@pytest.mark.parametrize("path", ["missing.txt", "no/such/folder.txt"])
def test_a_file_that_is_not_there_reads_as_none(tmp_path: Path, path: str) -> None:
    assert project_file(tmp_path, path).read() is None
    assert names_in(tmp_path) == []


def test_a_file_above_the_bound_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    (tmp_path / "big.txt").write_bytes(b"x" * 11)
    with pytest.raises(StorageError, match=r"big\.txt: 11 bytes; files above 10"):
        project_file(tmp_path, "big.txt").read()


def test_create_writes_only_what_was_not_there(tmp_path: Path) -> None:
    file = project_file(tmp_path, "h/one.json")
    assert file.create(b"first")
    assert not file.create(b"second")
    assert file.read() == b"first"


def test_create_leaves_even_a_dangling_link_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert not project_file(tmp_path, "link").create(b"x")
    assert names_in(tmp_path) == ["link"]


@pytest.mark.usefixtures("umask")
def test_a_new_file_gets_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    """H-G09."""
    project_file(tmp_path, "new.html").replace(b"x")
    assert mode_of(tmp_path / "new.html") == 0o644


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o664, 0o755, 0o600, 0o640])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    """H-G09."""
    path = tmp_path / "old.sh"
    path.write_bytes(b"old")
    path.chmod(mode)
    project_file(tmp_path, "old.sh").replace(b"new")
    assert (path.read_bytes(), mode_of(path)) == (b"new", mode)


def test_a_hard_link_to_the_file_keeps_the_text_it_had(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    os.link(tmp_path / "a", tmp_path / "outside")
    project_file(tmp_path, "a").replace(b"new")
    assert (tmp_path / "outside").read_bytes() == b"old"


WRITE_AND_DIE = """
import os, sys
from pathlib import Path
from devloop_tools.storage.files import ProjectFile
os.rename = lambda *_, **__: os.kill(os.getpid(), 9)  # dies after writing, before renaming
ProjectFile(Path(sys.argv[1]), ("state.json",), "pm").replace(b"new")
"""


def test_a_writer_that_was_killed_leaves_the_old_file_and_harms_no_later_one(
    tmp_path: Path, start: Start
) -> None:
    file = project_file(tmp_path, "state.json")
    file.replace(b"old")
    assert start(WRITE_AND_DIE, tmp_path).wait(timeout=20) == -9
    assert file.read() == b"old"
    assert len(names_in(tmp_path)) == 2
    file.replace(b"newer")
    assert (file.read(), names_in(tmp_path)) == (b"newer", ["state.json"])


def test_a_link_that_stands_for_the_temporary_file_is_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "victim"
    target.write_bytes(b"theirs")
    (tmp_path / files._temporary_name("plan.json")).symlink_to(target)
    project_file(tmp_path, "plan.json").replace(b"whole")
    assert target.read_bytes() == b"theirs"
    assert (tmp_path / "plan.json").read_bytes() == b"whole"
    assert not (tmp_path / "plan.json").is_symlink()


def test_long_names_that_start_alike_have_temporary_files_of_their_own(tmp_path: Path) -> None:
    """Else one writer would remove what another, under another lock, is writing."""
    names = ["长" * 70 + ending for ending in ("一", "二")]
    temporary = {files._temporary_name(name) for name in names}
    assert len(temporary) == 2
    assert max(len(name.encode()) for name in temporary) <= 255
    for name in names:
        project_file(tmp_path, name).replace(b"x")
    assert names_in(tmp_path) == sorted(names)


@pytest.mark.parametrize("content", [b"short", b"x" * 300_000])
def test_a_failed_rename_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    file = project_file(tmp_path, "a.json")
    file.replace(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(StorageError, match=r"^a\.json: No space left on device$"):
        file.replace(content)
    assert (file.read(), names_in(tmp_path)) == (b"old", ["a.json"])


def test_a_folder_that_vanishes_during_the_write_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanish(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "rename", vanish)
    with pytest.raises(StorageError, match=r"^prd/a\.html: No such file or directory$"):
        project_file(tmp_path, "prd/a.html").replace(b"x")


def test_a_project_folder_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="the project folder can't be opened: No such file"):
        project_file(tmp_path / "gone", "a.json").read()


@pytest.mark.parametrize("path", ["folder", "link-to-file", "fifo"])
def test_only_a_regular_file_is_replaced(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link-to-file").symlink_to("target")
    os.mkfifo(tmp_path / "fifo")
    before = names_in(tmp_path)
    with pytest.raises(ToolSandboxError, match=f"^{path}: a link or no regular file$"):
        project_file(tmp_path, path).replace(b"new")
    assert (names_in(tmp_path), (tmp_path / "target").read_bytes()) == (before, b"old")
