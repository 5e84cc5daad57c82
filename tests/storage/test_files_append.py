"""Files that only grow: a torn line is cut, a whole one is kept, whatever else got in."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.storage.conftest import Start

from devloop_tools.storage import files
from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile


def is_entry(line: bytes) -> bool:
    return re.fullmatch(rb"#\d+", line) is not None


def following(last: bytes) -> bytes:
    return b"#%d\n" % (int(last[1:] or b"0") + 1)


def appended(root: Path, before: bytes) -> bytes:
    """The file after one line was added to one that held `before`."""
    (root / "log").write_bytes(before)
    ProjectFile(root, ("log",), "pm").append_line(following, is_entry=is_entry)
    return (root / "log").read_bytes()


LONG = b"x" * 70_000
"""Longer than what is read at once."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"", b"#1\n", id="empty file"),
        pytest.param(b"#1\n", b"#1\n#2\n", id="whole line"),
        pytest.param(b"#1\n#2\n#3\n", b"#1\n#2\n#3\n#4\n", id="several lines"),
        pytest.param(b"#1\n#2\n{to", b"#1\n#2\n#3\n", id="torn line"),
        pytest.param(b"{to", b"#1\n", id="only a torn line"),
        pytest.param(b"#7", b"#7\n#8\n", id="only LF missing, first line"),
        pytest.param(b"#1\n#2", b"#1\n#2\n#3\n", id="only LF missing"),
        pytest.param(b"#4\nnoise\n", b"#4\nnoise\n#5\n", id="garbage line"),
        pytest.param(b"#4\n\n\n", b"#4\n\n\n#5\n", id="empty lines"),
        pytest.param(b"\n", b"\n#1\n", id="nothing but an empty line"),
        pytest.param(b"noise\n", b"noise\n#1\n", id="nothing but garbage"),
        pytest.param("#4\n中文笔记\n".encode(), "#4\n中文笔记\n#5\n".encode(), id="a note"),
        pytest.param(b"#4\n\xff\xfe\n", b"#4\n\xff\xfe\n#5\n", id="no UTF-8"),
        pytest.param(b"#4\n" + b"\0" * 5000, b"#4\n#5\n", id="NUL tail"),
        pytest.param(b"#4\n\0\0\n", b"#4\n\0\0\n#5\n", id="NULs in a line"),
        pytest.param(b"#4\n" + LONG, b"#4\n#5\n", id="long torn line"),
        pytest.param(b"#4\n" + LONG + b"\n", b"#4\n" + LONG + b"\n#5\n", id="long garbage line"),
        pytest.param(
            b"#4\n" + b"\n".join([LONG] * 3) + b"\n",
            b"#4\n" + b"\n".join([LONG] * 3) + b"\n#5\n",
            id="several long garbage lines",
        ),
    ],
)
def test_a_line_is_added_behind_whatever_is_there(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    assert appended(tmp_path, before) == after


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
@pytest.mark.parametrize("before", [b"#12\nnoise\n\n#1", b"#12\nab\n", b"#12\nno", b"#12"])
def test_it_does_not_matter_where_the_chunks_that_are_read_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, before: bytes
) -> None:
    whole = appended(tmp_path, before)
    monkeypatch.setattr(files, "_TAIL_BYTES", chunk)
    assert appended(tmp_path, before) == whole


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_line_above_the_bound_counts_as_none_of_the_stores_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: bytes
) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 5)
    monkeypatch.setattr(files, "_TAIL_BYTES", 4)
    kept = b"#2\n#99999999\n" if ending else b"#2\n"
    assert appended(tmp_path, b"#2\n#99999999" + ending) == kept + b"#3\n"


def test_a_tail_of_zeros_is_cut_without_being_read_into_memory(tmp_path: Path) -> None:
    """A power loss can leave them, as many as the file system likes."""
    (tmp_path / "log").write_bytes(b"#4\n")
    os.truncate(tmp_path / "log", 1 << 28)
    ProjectFile(tmp_path, ("log",), "pm").append_line(following, is_entry=is_entry)
    assert (tmp_path / "log").read_bytes() == b"#4\n#5\n"


def test_a_file_that_is_not_there_is_made_with_its_folders(tmp_path: Path) -> None:
    ProjectFile(tmp_path, ("a", "b", "log"), "pm").append_line(following, is_entry=is_entry)
    assert (tmp_path / "a" / "b" / "log").read_bytes() == b"#1\n"


def test_a_store_that_fails_to_make_its_line_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"#1\ntorn")

    def fail(_: bytes) -> bytes:
        raise ValueError("no line")

    with pytest.raises(ValueError, match="no line"):
        ProjectFile(tmp_path, ("log",), "pm").append_line(fail, is_entry=is_entry)
    assert (tmp_path / "log").read_bytes() == b"#1\ntorn"


@pytest.mark.parametrize("written", [0, 2])
def test_a_write_that_fails_half_way_leaves_every_whole_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    (tmp_path / "log").write_bytes(b"#1\n")
    real = os.write
    calls = iter([written])

    def full(fd: int, content: bytes) -> int:
        if (size := next(calls, 0)) > 0:
            return real(fd, bytes(content)[:size])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StorageError, match=r"^log: No space left on device$"):
        ProjectFile(tmp_path, ("log",), "pm").append_line(following, is_entry=is_entry)
    assert (tmp_path / "log").read_bytes() == b"#1\n"


def _link(path: Path) -> None:
    path.symlink_to(path.parent / "target")


def _hard_link(path: Path) -> None:
    os.link(path.parent / "target", path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_link, "a link; links are not followed"),
        (_hard_link, "it has a second hard link"),
        (os.mkfifo, "not a regular file"),
    ],
)
def test_nothing_is_appended_to_what_is_not_the_projects_own_file(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    (tmp_path / "target").write_bytes(b"outside\n")
    make(tmp_path / "log")
    with pytest.raises(ToolSandboxError, match=f"^log: {reason}$"):
        ProjectFile(tmp_path, ("log",), "pm").append_line(following, is_entry=is_entry)
    assert (tmp_path / "target").read_bytes() == b"outside\n"


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    with pytest.raises(StorageError, match=r"^log: Is a directory$"):
        ProjectFile(tmp_path, ("log",), "pm").append_line(following, is_entry=is_entry)


APPEND = """
import sys
from pathlib import Path
from devloop_tools.storage.workspace import Workspace
from devloop_tools.storage.sandbox import Sandbox
workspace = Workspace(Path(sys.argv[1]), Sandbox("pm", ("**",)))
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with workspace.locked("log") as file:
        file.append_line(lambda last: b"#%d\\n" % (int(last[1:] or b"0") + 1),
                         is_entry=lambda line: line.startswith(b"#"))
"""


def test_processes_that_append_at_once_lose_and_repeat_nothing(
    tmp_path: Path, start: Start
) -> None:
    children = [start(APPEND, tmp_path, 50) for _ in range(3)]
    threads = [
        threading.Thread(target=child.communicate, args=("\n",), kwargs={"timeout": 30})
        for child in children
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [child.returncode for child in children] == [0, 0, 0]
    lines = (tmp_path / "log").read_bytes().splitlines()
    assert lines == [b"#%d" % number for number in range(1, 151)]
