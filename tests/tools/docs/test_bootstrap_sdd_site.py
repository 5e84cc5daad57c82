import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site

UNITS: list[dict[str, Any]] = [
    {"id": "todo-be", "title": "待办后端", "kind": "backend", "prd_refs": ["login#流程"]},
    {"id": "todo-fe", "title": "Todo UI", "kind": "frontend", "depends_on": ["todo-be"]},
]


def units(root: Path) -> list[dict[str, Any]]:
    document = json.loads((root / "sdd/units.json").read_text(encoding="utf-8"))
    return list(document["units"])


async def test_each_unit_has_an_entry_and_a_page(ctx: ToolContext, tmp_path: Path) -> None:
    made = await call_tool(bootstrap_sdd_site, {"title": "设计", "units": UNITS}, ctx)
    assert made.ok
    assert [(u["id"], u["depends_on"], u["contract_hash"]) for u in units(tmp_path)] == [
        ("todo-be", [], None), ("todo-fe", ["todo-be"], None),
    ]  # fmt: skip
    page = (tmp_path / "sdd/units/todo-be.html").read_text(encoding="utf-8")
    assert 'data-page="units/todo-be.html"' in page
    assert 'src="../assets/shell.js"' in page


async def test_making_it_again_adds_units_and_keeps_hashes(
    ctx: ToolContext, tmp_path: Path
) -> None:
    await call_tool(bootstrap_sdd_site, {"title": "设计", "units": UNITS}, ctx)
    file = tmp_path / "sdd/units.json"
    text = file.read_text(encoding="utf-8").replace("null", '"sha256:1"', 1)
    file.write_text(text, encoding="utf-8")
    more = [
        *UNITS,
        {"id": "网关", "title": "Gateway", "kind": "backend", "depends_on": ["todo-be"]},
    ]
    made = await call_tool(bootstrap_sdd_site, {"title": "设计", "units": more}, ctx)
    assert made.created == ["sdd/units/网关.html"]
    assert [u["contract_hash"] for u in units(tmp_path)] == ["sha256:1", None, None]


async def test_what_a_plan_would_change_is_told_and_left(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(bootstrap_sdd_site, {"title": "设计", "units": UNITS}, ctx)
    other = [{**UNITS[0], "depends_on": [], "kind": "服务"}, {**UNITS[1], "depends_on": []}]
    made = await call_tool(bootstrap_sdd_site, {"title": "设计", "units": other}, ctx)
    assert made.notes == [
        "todo-be: kind stayed as sdd/units.json has it; change it in that file.",
        "todo-fe: depends_on stayed as sdd/units.json has it; change it in that file.",
    ]
    assert units(tmp_path)[1]["depends_on"] == ["todo-be"]


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "circle"),
        ({"a": ["a"]}, "circle: a → a"),
        ({"a": ["乙"]}, "a depends on 乙, which is no unit"),
    ],
)
async def test_a_graph_that_cannot_be_built_is_refused(
    needs: dict[str, list[str]], reason: str, ctx: ToolContext, tmp_path: Path
) -> None:
    planned = [{"id": u, "title": u, "kind": "k", "depends_on": d} for u, d in needs.items()]
    made = await call_tool(bootstrap_sdd_site, {"title": "T", "units": planned}, ctx)
    assert not made.ok
    assert reason in made.reason
    assert not (tmp_path / "sdd/units.json").exists()


async def test_a_units_file_that_no_tool_wrote_is_named(ctx: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "sdd").mkdir()
    (tmp_path / "sdd/units.json").write_text("[]", encoding="utf-8")
    made = await call_tool(bootstrap_sdd_site, {"title": "T", "units": UNITS}, ctx)
    assert made.reason.startswith("sdd/units.json: no list of units")
