"""The demo with a second unit in TypeScript, whose tests the real Vitest runs."""

import json
from pathlib import Path

import pytest
from tests.clients.conftest import missing
from tests.conformance import node
from tests.processes.test_demo import demo

pytestmark = pytest.mark.clients


def test_a_second_unit_in_typescript_is_tested_by_vitest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        above = node.installed("vitest").parents[1]
        monkeypatch.setenv("PATH", node.environment()["PATH"])
    except node.NodeMissing as exc:
        missing(str(exc))
    folder = tmp_path / "todo"
    ended = demo(folder, "--mended", "--typescript", cwd=above)
    assert (ended.returncode, ended.stderr) == (0, "")
    report = json.loads((folder / "units/todo-web/reports/vitest.json").read_bytes())
    assert (report["numTotalTests"], report["success"]) == (2, True)
    assert (folder / "units/todo-web/contract/types.ts").is_file()
