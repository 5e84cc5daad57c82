"""The recorded runs of `tests/fixtures/reports`, each with the project that it was recorded in."""

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from devloop_tools.domain.reports.model import Format, ReportParsed
from devloop_tools.domain.reports.reading import read_report
from devloop_tools.domain.reports.sources import Source
from devloop_tools.toolkit.testing import tool_context

FIXTURES = Path(__file__).parents[2] / "fixtures/reports"
VITEST = ("vitest-1", "vitest-2", "vitest-3", "vitest-4", "vitest-5")
REPORTERS = ("json", "junit", "tap", "default", "verbose")


@dataclass(frozen=True)
class Recorded:
    """One fixture and what its sidecar says of it."""

    tool: str
    scenario: str
    reporter: str
    path: Path
    exit_code: int
    command: str

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="surrogateescape")

    def __str__(self) -> str:
        return f"{self.tool}-{self.path.name}"


def sidecar(tool: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / f"recorded/{tool}/runs.json").read_bytes())
    return found


def recorded(*tools: str) -> list[Recorded]:
    """The fixtures of these tools, in the order of their sidecars."""
    return [
        Recorded(
            tool=tool,
            scenario=run["scenario"],
            reporter=run["reporter"],
            path=FIXTURES / f"recorded/{tool}" / run["file"],
            exit_code=run["exit_code"],
            command=run["command"],
        )
        for tool in tools
        for run in sidecar(tool)["runs"]
    ]


def lay_out(project: str, folder: Path) -> Path:
    """A copy of a sample project, as the recorder makes it."""
    shutil.copytree(FIXTURES / "projects" / project, folder, dirs_exist_ok=True)
    for path in folder.rglob("*.in"):
        path.rename(path.with_suffix(""))
    return folder


@cache
def read(
    run: Recorded, root: Path, *, exit_code: int | None = None, form: Format = Format.AUTO
) -> ReportParsed:
    """What the reader finds in a fixture, with the run's exit code or another; once each."""
    ctx = tool_context(root, "tester", unit_id="shop")
    code = run.exit_code if exit_code is None else exit_code
    return read_report(ctx.workspace, Source("text", text=run.text), form, code)
