"""Locks that hold over threads and processes, end with their holder, and are bounded in time."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.storage.conftest import Start

from devloop_tools.storage.errors import LockTimeout, StorageError, ToolSandboxError
from devloop_tools.storage.locks import FileLocks

HOLD = """
import sys
from pathlib import Path
from devloop_tools.storage.locks import FileLocks
with FileLocks(Path(sys.argv[1])).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.readline()
"""

COUNT = """
import sys
from pathlib import Path
from devloop_tools.storage.locks import FileLocks
root = Path(sys.argv[1])
locks = FileLocks(root)
for _ in range(100):
    with locks.hold("count"):
        number = int((root / "count").read_text())
        (root / "count").write_text(str(number + 1))
"""


def hold_in_a_process(start: Start, root: Path, path: str) -> Callable[[], None]:
    """The lock is held by another process; what is returned lets it go."""
    child = start(HOLD, root, path)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"

    def release() -> None:
        child.communicate("\n", timeout=10)

    return release


def test_a_read_and_a_write_under_the_lock_lose_nothing_over_processes(
    tmp_path: Path, start: Start
) -> None:
    """H-G06."""
    (tmp_path / "count").write_text("0")
    children = [start(COUNT, tmp_path) for _ in range(3)]
    assert [child.wait(timeout=30) for child in children] == [0, 0, 0]
    assert (tmp_path / "count").read_text() == "300"


def test_a_read_and_a_write_under_the_lock_lose_nothing_over_threads(tmp_path: Path) -> None:
    locks, count = FileLocks(tmp_path), [0]

    def work() -> None:
        for _ in range(100):
            with locks.hold("中文.json"):
                number = count[0]
                os.sched_yield()
                count[0] = number + 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert count == [400]


def test_a_lock_that_another_process_holds_times_out_by_name(tmp_path: Path, start: Start) -> None:
    release = hold_in_a_process(start, tmp_path, "agent-state/pm-todo.json")
    with pytest.raises(LockTimeout) as caught:
        with FileLocks(tmp_path, timeout_s=0.05).hold("agent-state/pm-todo.json"):
            pytest.fail("two holders")
    assert caught.value.reason.startswith("agent-state/pm-todo.json: another process has held")
    assert caught.value.hint.startswith("Try again")
    release()
    with FileLocks(tmp_path, timeout_s=5).hold("agent-state/pm-todo.json"):
        pass


def test_a_lock_that_another_thread_holds_times_out_too(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path, timeout_s=0.05)
    refusals: list[str] = []

    def wait_in_vain() -> None:
        try:
            with locks.hold("a"):
                refusals.append("two holders")
        except LockTimeout as exc:
            refusals.append(exc.reason)

    with locks.hold("a"):
        thread = threading.Thread(target=wait_in_vain)
        thread.start()
        thread.join(timeout=10)
    assert refusals == ["a: another process has held its lock for 0.05 s."]


def test_two_workspaces_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with FileLocks(tmp_path).hold("a"), pytest.raises(LockTimeout):
        with FileLocks(tmp_path, timeout_s=0.02).hold("a"):
            pytest.fail("two holders")


def test_a_waiter_gets_the_lock_as_soon_as_it_is_free(tmp_path: Path, start: Start) -> None:
    release = hold_in_a_process(start, tmp_path, "a")
    got = threading.Event()

    def wait_for_it() -> None:
        with FileLocks(tmp_path, timeout_s=20).hold("a"):
            got.set()

    thread = threading.Thread(target=wait_for_it)
    thread.start()
    assert not got.is_set()
    release()
    thread.join(timeout=20)
    assert got.is_set()


def test_the_lock_of_a_killed_holder_is_free(tmp_path: Path, start: Start) -> None:
    child = start(HOLD, tmp_path, "a")
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait(timeout=10)
    with FileLocks(tmp_path, timeout_s=5).hold("a"):
        pass


def test_locks_on_different_paths_do_not_wait_for_each_other(tmp_path: Path, start: Start) -> None:
    release = hold_in_a_process(start, tmp_path, "a")
    with FileLocks(tmp_path, timeout_s=0.05).hold("b"):
        pass
    release()


def test_what_goes_wrong_under_the_lock_frees_it(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path, timeout_s=0.05)
    with pytest.raises(ValueError, match="work"), locks.hold("a"):
        raise ValueError("work")
    with locks.hold("a"):
        pass


def test_lock_files_stay_so_that_nobody_locks_an_unlinked_one(tmp_path: Path) -> None:
    for _ in range(3):
        with FileLocks(tmp_path).hold("a"), FileLocks(tmp_path).hold("b"):
            pass
    assert len(list((tmp_path / ".devloop" / "locks").iterdir())) == 2


def _file(root: Path) -> None:
    (root / ".devloop").write_bytes(b"a file")


def _link(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / ".devloop").symlink_to("elsewhere")


@pytest.mark.parametrize("spoil", [_file, _link])
def test_a_state_folder_that_is_none_is_refused_by_name(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(tmp_path)
    with pytest.raises(ToolSandboxError, match=r"^\.devloop: a link or a file"):
        with FileLocks(tmp_path).hold("a"):
            pytest.fail("no lock can be had")


def test_a_lock_file_that_can_not_be_made_names_what_it_was_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "mkdir", full)
    with pytest.raises(StorageError, match=r"^timeline\.ndjson: its lock in .*: No space left"):
        with FileLocks(tmp_path).hold("timeline.ndjson"):
            pytest.fail("no lock can be had")
