"""The private folder, what is written into it, and what is swept out of it."""

import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from devloop_tools.launch import files
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.files import KEPT_S, private_folder, run_folder, sweep, write_run

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where our folder lies in the system's temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"devloop-tools-{os.geteuid()}"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def an_old_run(private: Path, name: str = "pm-old") -> Path:
    folder = private / name
    write_run(folder, {folder / "mcp.json": b"{}"})
    long_ago = time.time() - KEPT_S - 60
    os.utime(folder, (long_ago, long_ago))
    return folder


def test_the_folder_lies_in_the_runtime_folder_and_is_private(tmp_path: Path) -> None:
    runtime = tmp_path / "运行 a"
    runtime.mkdir()
    folder = private_folder({"XDG_RUNTIME_DIR": str(runtime)})
    assert folder == runtime / "devloop-tools"
    assert mode(folder) == 0o700
    assert private_folder({"XDG_RUNTIME_DIR": str(runtime)}) == folder


@pytest.mark.parametrize("runtime", [None, "", "relative", "/no/such/folder"])
def test_without_a_runtime_folder_it_lies_in_the_temporary_one(
    runtime: str | None, temporary: Path
) -> None:
    environ = {} if runtime is None else {"XDG_RUNTIME_DIR": runtime}
    assert private_folder(environ) == temporary
    assert mode(temporary) == 0o700


@as_root
def test_a_runtime_folder_of_another_user_is_passed_by(temporary: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    assert private_folder({"XDG_RUNTIME_DIR": str(theirs)}) == temporary


@as_root
def test_a_folder_that_another_user_owns_is_refused(temporary: Path) -> None:
    temporary.mkdir(mode=0o700)
    os.chown(temporary, NOBODY, NOBODY)
    with pytest.raises(LaunchError, match=f"belongs to another user \\({NOBODY}\\)"):
        private_folder({})


def make_link(path: Path) -> None:
    target = path.parent / "target"
    target.mkdir(mode=0o700)
    path.symlink_to(target)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_link, "a link or a file"),
        (Path.touch, "can't be made"),
        (lambda path: path.mkdir(mode=0o755), "its mode is 0755, not 0700; chmod 700 it"),
        (lambda path: path.mkdir(mode=0o500), "its mode is 0500"),
    ],
    ids=["link", "file", "open to others", "not writable"],
)
def test_a_folder_that_is_not_private_is_refused(
    make: Callable[[Path], object], reason: str, temporary: Path
) -> None:
    make(temporary)
    with pytest.raises(LaunchError, match=reason):
        private_folder({})


@pytest.mark.parametrize(
    ("agent", "start"),
    [("bug-triager", "bug-triager-"), ("../a b/é", "___a_b_é-"), ("测" * 200, "测" * 60 + "-")],
)
def test_a_run_is_named_by_its_agent_and_never_twice(
    agent: str, start: str, tmp_path: Path
) -> None:
    first, second = run_folder(tmp_path, agent), run_folder(tmp_path, agent)
    assert first != second
    assert first.parent == tmp_path
    assert first.name.startswith(start)
    write_run(first, {})


def test_only_the_user_may_read_what_a_run_is_given(tmp_path: Path) -> None:
    folder = tmp_path / "pm-1"
    write_run(folder, {folder / "mcp.json": "内容".encode()})
    assert mode(folder) == 0o700
    assert mode(folder / "mcp.json") == 0o600
    assert (folder / "mcp.json").read_text(encoding="utf-8") == "内容"


def test_a_folder_that_is_there_is_never_written_into(tmp_path: Path) -> None:
    folder = tmp_path / "pm-1"
    folder.mkdir()
    with pytest.raises(LaunchError, match="can't be written"):
        write_run(folder, {folder / "mcp.json": b"{}"})
    assert list(folder.iterdir()) == []


def test_a_sweep_removes_old_runs_and_leaves_young_ones(tmp_path: Path) -> None:
    old, young = an_old_run(tmp_path), tmp_path / "pm-young"
    write_run(young, {young / "mcp.json": b"{}"})
    sweep(tmp_path, time.time())
    assert not old.exists()
    assert (young / "mcp.json").exists()


def test_a_sweep_follows_no_link_and_touches_no_file(tmp_path: Path) -> None:
    private, elsewhere = tmp_path / "private", tmp_path / "elsewhere"
    private.mkdir()
    target = an_old_run(tmp_path, "elsewhere")
    (private / "link").symlink_to(elsewhere)
    (private / "file").touch()
    sweep(private, time.time() + 2 * KEPT_S)
    assert (target / "mcp.json").exists()
    assert sorted(path.name for path in private.iterdir()) == ["file", "link"]


@pytest.mark.parametrize("source", ["proc", "ps"])
def test_a_sweep_keeps_an_old_run_while_a_process_names_it(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source == "ps":
        monkeypatch.setattr(files, "_PROCESSES", tmp_path / "no proc here")
    live, dead = an_old_run(tmp_path, "pm-live"), an_old_run(tmp_path, "pm-dead")
    waiting = "import sys; print('up', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", waiting, f"--mcp-config={live}/mcp.json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        sweep(tmp_path, time.time())
        assert live.exists()
        assert not dead.exists()
    sweep(tmp_path, time.time())
    assert not live.exists()


def test_a_process_that_ends_while_all_are_read_is_passed_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes, private = tmp_path / "proc", tmp_path / "private"
    private.mkdir()
    old = an_old_run(private)
    (processes / "17/cmdline").mkdir(parents=True)  # fails to be read, as one that is gone does
    for name, words in (("self", b"sweep"), ("18", b"claude\0--mcp-config=" + os.fsencode(old))):
        (processes / name).mkdir()
        (processes / name / "cmdline").write_bytes(words)
    monkeypatch.setattr(files, "_PROCESSES", processes)
    sweep(private, time.time())
    assert old.exists()


def test_where_processes_cannot_be_seen_nothing_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PROCESSES", tmp_path / "no proc here")
    monkeypatch.setenv("PATH", "/nowhere")
    old = an_old_run(tmp_path)
    sweep(tmp_path, time.time())
    assert old.exists()
