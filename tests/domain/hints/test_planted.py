"""Twenty recorded failures, each planted by the edit in its project's `edits.json`."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.domain.reports.recorded import FIXTURES

from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.hint_builder import hint_builder

LEAST_NAMED = 18
"""Of twenty first hints, how many name the edited function; 19 did when this was written."""

LEAST_FIRST = 16
"""... and name it before any other; 16 did."""

RUNS: dict[str, dict[str, Any]] = {
    run["id"]: run for run in json.loads((FIXTURES / "planted/runs.json").read_bytes())["runs"]
}
EDITS = [
    {**edit, "project": project}
    for project in ("shop", "ledger")
    for edit in json.loads((FIXTURES / "projects" / project / "edits.json").read_bytes())
]


async def first_hint(edit: dict[str, Any], root: Path) -> str:
    """The first hint on the recorded run, with the edited project beside it."""
    unit = root / "units" / edit["project"]
    shutil.copytree(FIXTURES / "projects" / edit["project"], unit)
    source = unit / edit["file"]
    text = source.read_text(encoding="utf-8")
    assert text.count(edit["find"]) == 1
    source.write_text(text.replace(edit["find"], edit["put"]), encoding="utf-8")
    (unit / "edits.json").unlink()
    report = (FIXTURES / "planted" / RUNS[edit["id"]]["file"]).read_text(encoding="utf-8")
    (unit / "report").write_text(report, encoding="utf-8")
    ctx = tool_context(root, "tester", unit_id=edit["project"])

    hint = await call_tool(hint_builder, {"report": f"units/{edit['project']}/report"}, ctx)

    assert isinstance(hint, str)
    assert len(hint) <= 1_200
    assert re.search(r"units/\S+:\d+", hint)
    return hint.partition("\n2. ")[0]


def test_there_are_twenty_in_three_languages_from_all_versions() -> None:
    assert len(EDITS) == len(RUNS) == 20
    assert {Path(edit["file"]).suffix for edit in EDITS} == {".ts", ".js", ".py"}
    tools = {run["version"].partition(".")[0] for run in RUNS.values()}
    assert tools >= {f"vitest@{major}" for major in range(1, 6)} | {"pytest@9"}
    assert {edit["run"][1] for edit in EDITS} == {"json", "junit", "tap", "default", "verbose"}
    assert all(run["exit_code"] == 1 for run in RUNS.values())


async def test_the_first_hint_names_the_edited_function(tmp_path: Path) -> None:
    named: dict[str, list[str]] = {}
    for edit in EDITS:
        head = (await first_hint(edit, tmp_path / edit["id"])).partition("\n")[0]
        named[f"{edit['id']} {edit['function']}"] = re.findall(r"`(\w+)`", head)

    found = [key for key, names in named.items() if key.split()[1] in names]
    first = [key for key, names in named.items() if key.split()[1] in names[:1]]

    assert all(len(names) <= 3 for names in named.values())
    assert len(found) >= LEAST_NAMED, named
    assert len(first) >= LEAST_FIRST, named


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["id"])
def test_a_recorded_run_is_that_of_its_edit(edit: dict[str, Any]) -> None:
    assert edit["id"] in RUNS[edit["id"]]["file"]
    tool, reporter = edit["run"]
    run = RUNS[edit["id"]]
    assert run["version"].partition("@")[0] == tool.partition("-")[0]
    assert tool == "pytest" or run["reporter"] == reporter
