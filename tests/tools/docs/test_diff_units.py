from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain.contracts.contract import hash_of
from devloop_tools.domain.documents.unit_diff import UnitsDiff
from devloop_tools.toolkit import Refused
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.docs.diff_units import diff_units

TODO = {"type": "object", "properties": {"标题": {"type": "string"}}}
NEEDY = {**TODO, "required": ["标题"]}


def contract(unit: str, request: Any = TODO, version: int = 1) -> dict[str, Any]:
    endpoint = {"method": "POST", "path": "/todos", "request": request}
    return {"unit": unit, "version": version, "endpoints": [endpoint]}


def entry(unit: str, promised: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    hashed = hash_of(promised).hash if promised else None
    return {"id": unit, "contract_hash": hashed, **more}


def write(root: Path, path: str, content: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


def design(root: Path, folder: str, *units: dict[str, Any], **contracts: dict[str, Any]) -> None:
    write(root, f"{folder}/units.json", orjson.dumps({"title": "待办", "units": units}))
    for name, promised in contracts.items():
        write(root, f"{folder}/units/{name}.html", page(promised))


def page(promised: dict[str, Any]) -> bytes:
    text = orjson.dumps(promised)
    return b'<script type="application/json" id="data-contract">' + text + b"</script>"


def archive(root: Path, source: str, name: str, content: bytes) -> None:
    write(root, f"sdd/_archive/{name}", content)
    line = {"archive_id": name, "source": source, "path": f"sdd/_archive/{name}"}
    with (root / "sdd/_archive/manifest.ndjson").open("ab") as manifest:
        manifest.write(orjson.dumps(line) + b"\n")


async def diff(root: Path, **arguments: str) -> UnitsDiff:
    result = await call_tool(diff_units, arguments, tool_context(root, "architect"))
    assert isinstance(result, UnitsDiff), result
    return result


async def between(root: Path, **more: str) -> UnitsDiff:
    return await diff(root, before="old/units.json", after="new/units.json", **more)


async def test_a_contract_that_asks_for_more_breaks_its_callers(tmp_path: Path) -> None:
    old, new = contract("be"), contract("be", NEEDY, 2)
    design(tmp_path, "old", entry("be", old), entry("前端", depends_on=["be"]), be=old)
    design(tmp_path, "new", entry("be", new), entry("前端", depends_on=["be"]), be=new)

    result = await between(tmp_path)

    [found] = result.contracts
    assert (result.breaking, found.breaking, found.callers) == (True, True, ["前端"])
    assert [change.model_dump() for change in found.changes] == [
        {"where": "version", "what": "changed from 1 to 2", "breaking": False},
        {"where": "POST /todos request.标题", "what": "is required now", "breaking": True},
    ]
    assert result.notes == []


async def test_units_that_came_went_and_changed_are_told(tmp_path: Path) -> None:
    design(tmp_path, "old", entry("a", title="甲"), entry("b", title="乙", kind="service"))
    design(tmp_path, "new", entry("a", title="甲", depends_on=["c"]), entry("c", title="丙"))

    result = await between(tmp_path)

    assert (result.added, result.removed, result.renamed) == (["c"], ["b"], [])
    assert [change.model_dump() for change in result.changed] == [
        {"unit_id": "a", "fields": ["depends_on: none → c"]}
    ]
    assert not result.breaking


async def test_a_unit_that_is_gone_breaks_those_who_depended_on_it(tmp_path: Path) -> None:
    design(tmp_path, "old", entry("a", depends_on=["b"]), entry("b"))
    design(tmp_path, "new", entry("a"))

    assert (await between(tmp_path)).breaking


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ({"title": "待办服务"}, {"title": "待办服务"}, True),
        ({"title": "待办服务", "kind": "a"}, {"title": "待办服务", "kind": "b"}, False),
        ({"title": "旧"}, {"title": "new"}, False),
        ({}, {}, False),
    ],
)
async def test_a_unit_of_one_title_and_kind_was_renamed(
    old: dict[str, str], new: dict[str, str], renamed: bool, tmp_path: Path
) -> None:
    design(tmp_path, "old", entry("todo-be", None, **old))
    design(tmp_path, "new", entry("待办", None, **new))

    result = await between(tmp_path)

    assert [pair.model_dump() for pair in result.renamed] == (
        [{"old": "todo-be", "new": "待办"}] if renamed else []
    )
    assert bool(result.added) == bool(result.removed) == (not renamed)


async def test_a_unit_that_promises_the_same_under_another_name_was_renamed(
    tmp_path: Path,
) -> None:
    old, new = contract("be"), contract("server")
    design(tmp_path, "old", entry("be", old), be=old)
    design(tmp_path, "new", entry("server", new), server=new)

    result = await between(tmp_path)

    assert [pair.new for pair in result.renamed] == ["server"]
    assert [change.where for change in result.contracts[0].changes] == ["unit"]


async def test_the_newest_copy_is_compared_and_contracts_found_in_copies(tmp_path: Path) -> None:
    old, new = contract("be"), contract("be", NEEDY)
    design(tmp_path, "sdd", entry("be", new), be=new)
    archive(tmp_path, "sdd/units/be.html", "1-be.html", page(old))
    archive(tmp_path, "sdd/units/be.html", "2-be.html", page(contract("be", version=9)))
    archive(tmp_path, "sdd/units.json", "2-units.json", orjson.dumps({"units": [entry("be", old)]}))

    result = await diff(tmp_path)

    assert (result.before, result.after) == ("sdd/_archive/2-units.json", "sdd/units.json")
    assert [found.breaking for found in result.contracts] == [True]
    assert await diff(tmp_path, before="2-units.json") == result


async def test_a_contract_that_was_not_kept_is_not_judged(tmp_path: Path) -> None:
    old, new = contract("be"), contract("be", NEEDY)
    design(tmp_path, "old", entry("be", old))
    design(tmp_path, "new", entry("be", new), be=new)

    result = await between(tmp_path)

    assert [found.breaking for found in result.contracts] == [None]
    assert "be: the contract sha256:" in result.notes[0]
    assert "old/units.json is in no page" in result.notes[0]


async def test_a_design_is_the_same_as_itself(tmp_path: Path) -> None:
    design(tmp_path, "sdd", entry("be", contract("be")))

    result = await diff(tmp_path, before="sdd/units.json")

    assert (result.same, result.breaking, result.notes) == (True, False, [])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "old/units.json: no list of units: the file: Invalid JSON"),
        (b'{"units": [{"title": "x"}]}', "units.0.id: Field required"),
        (b'{"units": [{"id": "../a"}]}', "../a is no unit's id"),
        (b'{"units": [{"id": "a"}, {"id": "a"}]}', "two units are called a"),
        ('{"单元": "ä"}'.encode("gb18030"), "no list of units"),
        (None, "old/units.json: there is no such file"),
    ],
)
async def test_what_is_no_list_of_units_is_refused(
    content: bytes | None, reason: str, tmp_path: Path
) -> None:
    design(tmp_path, "sdd", entry("be"))
    if content is not None:
        write(tmp_path, "old/units.json", content)

    result = await call_tool(diff_units, {"before": "old/units.json"}, tool_context(tmp_path))

    assert isinstance(result, Refused)
    assert reason in result.reason


async def test_without_a_copy_there_is_nothing_to_compare(tmp_path: Path) -> None:
    result = await call_tool(diff_units, {}, tool_context(tmp_path))

    assert isinstance(result, Refused)
    assert "sdd/units.json: nothing to compare it with" in result.reason
