"""No link leads out: not as file, not as folder, not swapped in while somebody looks."""

import gc
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.storage.conftest import Start

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.folders import open_folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a folder that nobody may touch."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_bytes(b"secret")
    (tmp_path / "project" / "docs").mkdir(parents=True)
    return tmp_path / "project"


def outside(project: Path) -> dict[str, bytes]:
    folder = project.parent / "outside"
    return {path.name: path.read_bytes() for path in folder.iterdir()}


UNTOUCHED = {"secret.txt": b"secret"}


def file_at(project: Path, path: str) -> ProjectFile:
    return ProjectFile(project, tuple(path.split("/")), "pm")


@pytest.mark.parametrize("target", ["../../outside", "../outside/secret.txt", "nowhere", "real"])
def test_a_link_in_place_of_a_folder_is_refused_by_name(project: Path, target: str) -> None:
    """H-G02, H-G03: also where it stays inside, and where what lies below doesn't exist yet."""
    (project / "docs" / "real").mkdir()
    (project / "docs" / "esc").symlink_to(target)
    reason = "docs/esc: a link or a file where a folder is needed"
    with pytest.raises(ToolSandboxError, match=reason):
        file_at(project, "docs/esc/a/b/new.html").replace(b"x")
    with pytest.raises(ToolSandboxError, match=reason):
        file_at(project, "docs/esc/secret.txt").read()
    assert outside(project) == UNTOUCHED
    assert list((project / "docs" / "real").iterdir()) == []


@pytest.mark.parametrize("target", ["../../outside/secret.txt", "real.html", "nowhere"])
def test_a_link_in_place_of_a_file_is_refused(project: Path, target: str) -> None:
    """H-G02."""
    (project / "docs" / "real.html").write_bytes(b"real")
    (project / "docs" / "leak").symlink_to(target)
    file = file_at(project, "docs/leak")
    with pytest.raises(ToolSandboxError, match="docs/leak: a link or no regular file"):
        file.replace(b"x")
    with pytest.raises(ToolSandboxError, match="docs/leak: a link; links are not followed"):
        file.read()
    assert outside(project) == UNTOUCHED
    assert (project / "docs" / "real.html").read_bytes() == b"real"


def test_a_file_in_place_of_a_folder_is_refused_by_name(project: Path) -> None:
    (project / "docs" / "a").write_bytes(b"x")
    with pytest.raises(ToolSandboxError, match="docs/a: a link or a file where a folder"):
        file_at(project, "docs/a/b/c.html").replace(b"x")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_only_a_regular_file_is_read(project: Path, make: Callable[[Path], None]) -> None:
    """A pipe would hold the reader for ever."""
    make(project / "docs" / "odd")
    with pytest.raises(ToolSandboxError, match="docs/odd: not a regular file"):
        file_at(project, "docs/odd").read()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a device file")
def test_a_device_is_not_read(project: Path) -> None:
    os.mknod(project / "docs" / "zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    with pytest.raises(ToolSandboxError, match="docs/zero: not a regular file"):
        file_at(project, "docs/zero").read()


def test_a_project_folder_may_itself_be_reached_by_a_link(project: Path, tmp_path: Path) -> None:
    (tmp_path / "by-link").symlink_to(project)
    file_at(tmp_path / "by-link", "docs/a.html").replace(b"x")
    assert (project / "docs" / "a.html").read_bytes() == b"x"


def test_missing_folders_are_made_only_when_asked(project: Path) -> None:
    with pytest.raises(FileNotFoundError), open_folder(project, ("a", "b"), agent="pm"):
        pass
    assert not (project / "a").exists()
    with open_folder(project, ("a", "b"), agent="pm", create=True) as folder:
        assert os.listdir(folder) == []
    assert (project / "a" / "b").is_dir()


def test_a_folder_that_another_process_makes_first_is_used(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.mkdir

    def made_twice(name: str, **where: int) -> None:
        real(name, **where)
        real(name, **where)

    monkeypatch.setattr(os, "mkdir", made_twice)
    file_at(project, "new/a.html").replace(b"x")
    assert (project / "new" / "a.html").read_bytes() == b"x"


def test_no_descriptor_is_left_open_whatever_goes_wrong(project: Path) -> None:
    (project / "docs" / "esc").symlink_to("../../outside")
    gc.collect()  # what earlier tests left behind is closed by now
    before = len(os.listdir("/dev/fd"))
    for path in ("docs/esc/x", "docs/a/b", "missing/a", "docs/esc"):
        for act in (file_at(project, path).read, lambda p=path: file_at(project, p).replace(b"x")):
            try:
                act()
            except (ToolSandboxError, StorageError):
                continue
    assert len(os.listdir("/dev/fd")) == before


SWAP_FOLDER = """
import os, shutil, sys
os.chdir(sys.argv[1])
os.mkdir("swapped")
print("swapping", flush=True)
while True:
    try:
        os.rename("swapped", "aside")
        os.symlink("../../outside", "swapped")
        os.unlink("swapped")
        os.rename("aside", "swapped")
    except OSError:  # a writer made the folder in between
        shutil.rmtree("aside", ignore_errors=True)
"""

SWAP_FILE = """
import os, sys
os.chdir(sys.argv[1])
print("swapping", flush=True)
while True:
    os.symlink("../../outside/secret.txt", "link")
    os.rename("link", "swapped")
    with open("plain", "wb") as file:
        file.write(b"inside")
    os.rename("plain", "swapped")
"""

ATTEMPTS = 2_000


def swap(project: Path, start: Start, source: str) -> None:
    """Has a process put a link in place of `docs/swapped` and back, as fast as it can."""
    child = start(source, project / "docs")
    assert child.stdout is not None
    assert child.stdout.readline() == "swapping\n"


def outcomes(act: Callable[[], object]) -> set[str]:
    """What came of trying 2,000 times, or more often until it went well once and ill once."""
    seen: set[str] = set()
    for attempt in range(20 * ATTEMPTS):
        if attempt >= ATTEMPTS and {"done", "link"} <= seen:
            break
        try:
            act()
            seen.add("done")
        except ToolSandboxError:
            seen.add("link")
        except StorageError:
            seen.add("gone")
    return seen


def _replace(file: ProjectFile) -> None:
    file.replace(b"x")


def _append(file: ProjectFile) -> None:
    file.append_line(lambda _: b"x\n", is_entry=lambda _: True)


def _read(file: ProjectFile) -> None:
    assert file.read() != b"secret"


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of syncs would wear the disk and show nothing."""
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda _: None, raising=False)


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("act", [_replace, _append, _read])
def test_a_folder_swapped_for_a_link_gains_nothing(
    project: Path, start: Start, act: Callable[[ProjectFile], None]
) -> None:
    """H-G03."""
    swap(project, start, SWAP_FOLDER)
    file = file_at(project, "docs/swapped/secret.txt")
    assert {"done", "link"} <= outcomes(lambda: act(file))
    assert outside(project) == UNTOUCHED


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("act", [_replace, _append, _read])
def test_a_file_swapped_for_a_link_gains_nothing(
    project: Path, start: Start, act: Callable[[ProjectFile], None]
) -> None:
    swap(project, start, SWAP_FILE)
    file = file_at(project, "docs/swapped")
    assert {"done", "link"} <= outcomes(lambda: act(file))
    assert outside(project) == UNTOUCHED


def test_a_folder_that_can_not_be_opened_is_not_taken_for_a_link(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def denied(path: str, *arguments: int, **where: int) -> int:
        if path == "docs":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **where)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(StorageError, match=r"^docs/a\.html: Permission denied$"):
        file_at(project, "docs/a.html").replace(b"x")
