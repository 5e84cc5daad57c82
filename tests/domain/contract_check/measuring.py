"""How well the differences that are found are those that are there."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devloop_tools.domain.contract_check.comparison import ContractCompared, compare_unit
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace

GROUPS = ("missing", "extra", "differing")

Difference = tuple[str, str, str]
"""Group, kind and name; the names of path parameters don't count."""


@dataclass(frozen=True)
class Measured:
    """What was found in one unit and what is there; `placed` are those found with their line."""

    unit: str
    found: frozenset[Difference]
    there: frozenset[Difference]
    placed: frozenset[Difference]

    @property
    def right(self) -> frozenset[Difference]:
        return self.found & self.there


def promise(root: Path, unit_id: str, contract: Any) -> None:
    """Put a contract into the unit's page."""
    page = root / f"sdd/units/{unit_id}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(contract, ensure_ascii=False).replace("<", "\\u003c")
    page.write_text(
        f'<script type="application/json" id="data-contract">{text}</script>', encoding="utf-8"
    )


def compared(root: Path, folder: Path) -> ContractCompared:
    """What the comparison says of the unit in `folder`, in a project at `root`."""
    unit_id = folder.name
    shutil.copytree(folder, root / "units" / unit_id)
    for beside in ("contract.json", "expected.json"):
        (root / "units" / unit_id / beside).unlink()
    promise(root, unit_id, json.loads((folder / "contract.json").read_text(encoding="utf-8")))
    return compare_unit(Workspace(root, Sandbox("bug-triager")), unit_id)


def measured(root: Path, folder: Path) -> Measured:
    """The differences found in a unit, beside those that `expected.json` lists."""
    result = compared(root, folder)
    found = {
        (group, one.kind.value, _name(one.kind.value, one.name)): (one.file, one.line)
        for group in GROUPS
        for one in getattr(result, group)
    }
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    there = {
        (group, one["kind"], _name(one["kind"], one["name"])): (
            one["file"] and f"units/{folder.name}/{one['file']}",
            one["line"],
        )
        for group in GROUPS
        for one in expected[group]
    }
    placed = {one for one, place in found.items() if there.get(one) == place}
    return Measured(folder.name, frozenset(found), frozenset(there), frozenset(placed))


def _name(kind: str, name: str) -> str:
    return re.sub(r"\{[^}]*\}|:\w+", "{}", name) if kind == "endpoint" else name
