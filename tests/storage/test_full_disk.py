"""A disk that is full: the old bytes stay, nothing is left over, and the error says so. H-G08."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRY = """
import resource, sys
from pathlib import Path
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import StorageError
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace

root, kind = Path(sys.argv[1]), sys.argv[2]
workspace = Workspace(root, Sandbox("pm", ("**",)))
with workspace.locked("state.json") as file:
    file.replace(b"old state")
with workspace.locked("log.ndjson") as file:
    file.append_line(lambda _: b"first\\n", is_entry=lambda _: True)

if kind == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
elif kind == "blocks":
    with open(root / "filler", "wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 4096):
                pass
        except OSError:
            pass

def attempt(act):
    before = {str(p): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    try:
        act()
        print("written")
    except StorageError as exc:
        print(exc)
    after = {str(p): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    print("same" if before == after else sorted(before.keys() ^ after.keys()))

def replace(path):
    with workspace.locked(path) as file:
        file.replace(b"n" * 50_000)

def append(path):
    with workspace.locked(path) as file:
        file.append_line(lambda _: b"n" * 50_000 + b"\\n", is_entry=lambda _: True)

attempt(lambda: replace("state.json"))
attempt(lambda: append("log.ndjson"))
"""


def attempts(command: list[str], root: Path, kind: str) -> list[str]:
    ended = subprocess.run(
        [*command, sys.executable, "-c", TRY, str(root), kind],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return ended.stdout.splitlines()


def test_a_file_that_may_grow_no_further_keeps_what_it_had(tmp_path: Path) -> None:
    assert attempts([], tmp_path, "limit") == [
        "state.json: File too large",
        "same",
        "log.ndjson: File too large",
        "same",
    ]


MOUNTED = "mount -t tmpfs -o size=64k,mode=777 tmpfs $0 && exec $@"
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]


def can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(
        [*UNSHARE, MOUNTED, str(folder), "true"], capture_output=True, timeout=10, check=False
    )
    return tried.returncode == 0


def test_a_disk_without_a_free_block_keeps_what_it_had(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("this system lets nobody mount a small file system")
    assert attempts(
        [*UNSHARE, MOUNTED.replace("$@", '"$@"'), str(tmp_path)], tmp_path, "blocks"
    ) == [
        "state.json: No space left on device",
        "same",
        "log.ndjson: No space left on device",
        "same",
    ]
