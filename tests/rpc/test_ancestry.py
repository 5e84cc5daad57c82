"""Which processes this one descends from."""

import os
import subprocess
import sys

import pytest

from devloop_tools.rpc.ancestry import ancestors, parent

SAY = "from devloop_tools.rpc.ancestry import ancestors; print([tuple(a) for a in ancestors()])"


def test_a_child_finds_this_process_and_its_ancestors_above_it() -> None:
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SAY!r}])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    found = eval(done.stdout)
    pids = [pid for pid, _ in found]
    assert os.getpid() in pids
    assert found[pids.index(os.getpid()) + 1 :] == ancestors()
    assert all(started for _, started in found)


def test_the_parent_is_the_first_of_them() -> None:
    assert parent() == ancestors()[0]
    assert parent() == parent()


def test_an_orphan_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert parent() is None
    assert ancestors() == []
