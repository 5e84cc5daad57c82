"""The whole loop as a person runs it: real servers, a real test run, a real service."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes.server import clean_environment
from tests.processes.units import running_in
from typer.testing import CliRunner

from devloop_tools.cli.commands import app
from devloop_tools.toolkit.testing import recorded_events

HANG_S = 180
"""It takes a small part of this; how long, `make run` says."""


def demo(folder: Path, *flags: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    script = Path(sys.executable).with_name("devloop-tools")
    return subprocess.run(
        [str(script), "demo", str(folder), *flags],
        cwd=cwd,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=HANG_S,
        check=False,
    )


def types_of(folder: Path) -> list[str]:
    return [event.type for event in recorded_events(folder)]


def test_a_fault_is_found_reported_mended_and_closed(tmp_path: Path) -> None:
    folder = tmp_path / "待办"
    ended = CliRunner().invoke(app, ["demo", str(folder)])
    assert ended.exit_code == 0, ended.output
    changes = [e.data for e in recorded_events(folder) if e.type in ("bug.opened", "bug.changed")]
    assert [change["status"] for change in changes] == [
        "open", "triaged", "assigned", "fixing", "fixed", "verified", "closed",
    ]  # fmt: skip
    cases = [e.data for e in recorded_events(folder) if e.type == "case.finished"]
    assert [case["id"] for case in cases if not case["passed"]] == ["done-second"]
    assert len(cases) == 10
    triage = json.loads((folder / "triage.json").read_text(encoding="utf-8"))
    assert "BUG-0001" in json.dumps(triage)
    for path in ("prd/index.html", "sdd/index.html", "timeline.ndjson"):
        assert str(folder.resolve() / path) in ended.stdout
        assert (folder / path).is_file()
    assert running_in(tmp_path) == []


def test_without_the_fault_no_bug_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "todo"
    ended = demo(folder, "--mended")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "bug.opened" not in types_of(folder)
    cases = [e.data for e in recorded_events(folder) if e.type == "case.finished"]
    assert len(cases) == 5
    assert all(case["passed"] for case in cases)
    assert not (folder / "triage.json").exists()


@pytest.mark.parametrize("flags", [(), ("--mended",)])
def test_a_folder_of_somebodys_is_refused_and_left_alone(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    (tmp_path / "我的.md").write_text("x", encoding="utf-8")
    ended = demo(tmp_path, *flags)
    assert ended.returncode == 1
    assert (
        ended.stderr
        == f"devloop-tools: {tmp_path} is not empty; name a folder that is, or a new one\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["我的.md"]
