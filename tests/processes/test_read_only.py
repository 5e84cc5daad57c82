"""A project in which this user may write nothing is read all the same."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.processes.server import clean_environment

from devloop_tools.storage.database import database_file

SETPRIV = shutil.which("setpriv") or ""
INSERT = (
    "INSERT INTO events (ts, type, project_id, agent, data) VALUES ('t', '建', 'p', 'pm', '{}')"
)
WRITE_AND_DIE = f"""
import os, signal, sys
from pathlib import Path
from devloop_tools.storage.database import Database
database = Database(Path(sys.argv[1]))
with database.transaction() as connection:
    connection.execute({INSERT!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
pytestmark = pytest.mark.skipif(not SETPRIV and os.geteuid() == 0, reason="root may write")
CALLS = [
    ("bug-triager", "bug_list", "{}"),
    ("bug-triager", "find_similar_bug", '{"text": "登录 login"}'),
    ("integrator", "parse_placeholder", '{"text": "{{port.a}}"}'),
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A used project whose server was killed."""
    killed = subprocess.run([sys.executable, "-c", WRITE_AND_DIE, str(tmp_path)], timeout=30)
    assert killed.returncode == -signal.SIGKILL
    yield tmp_path
    close(tmp_path, writable=True)


def close(root: Path, *, writable: bool = False) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod((0o755 if writable else 0o555) if path.is_dir() else 0o444)


def run(root: Path, *words: str, may_write: bool = False) -> subprocess.CompletedProcess[str]:
    """The command line; root may write everywhere, unless that is taken away from it."""
    held = [] if may_write or os.geteuid() else [SETPRIV, "--bounding-set=-dac_override"]
    command = [*held, sys.executable, "-m", "devloop_tools", *words, "--project-dir", str(root)]
    return subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("log", ["of a killed server", "none"])
def test_what_is_there_is_read(project: Path, log: str) -> None:
    if log == "none":
        assert run(project, "events", may_write=True).returncode == 0
    assert (project / ".devloop/state.db-wal").exists() is (log != "none")
    close(project)
    before = sorted(path.name for path in project.rglob("*"))
    assert '"type":"建"' in run(project, "events").stdout
    for agent, tool, arguments in CALLS[: 3 if log == "none" else 1]:
        called = run(project, "call", tool, arguments, "--agent", agent)
        assert (called.returncode, called.stdout[:10]) == (0, '{"ok":true'), called.stderr
        assert called.stderr.count("\n") == 1
    assert sorted(path.name for path in project.rglob("*")) == before


def test_what_can_not_be_read_without_writing_is_said(project: Path) -> None:
    Path(f"{database_file(project)}-shm").unlink()
    close(project)
    refused = run(project, "events")
    assert refused.returncode == 2
    assert "state.db-wal can't be read where nothing may be written; call a tool" in refused.stderr
