from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from tests.domain.bridge.contracts import PLAIN, SCHEMAS, hostile

from devloop_tools.storage.errors import ToolSandboxError
from devloop_tools.toolkit import Refused, ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.coder.contract_bridge import contract_bridge

FILES = {
    "typescript": ["types.ts", "client.ts", "handlers.ts"],
    "python": ["__init__.py", "models.py", "client.py", "handlers.py"],
    "json-schema": ["schema.json"],
}


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, "coder", unit_id="todo-be", write_allow=["units/todo-be/**"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "units/todo-be/contract"


def promise(root: Path, contract: Any, unit_id: str = "todo-be") -> None:
    """Put a contract into a unit's page."""
    page = root / f"sdd/units/{unit_id}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    text = orjson.dumps(contract).decode().replace("<", "\\u003c")
    page.write_text(
        f'<script type="application/json" id="data-contract">{text}</script>', encoding="utf-8"
    )


def write_as_somebody_else(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("export {};\n")


async def bridge(ctx: ToolContext, target: str, unit_id: str = "todo-be") -> Any:
    return await call_tool(contract_bridge, {"unit_id": unit_id, "target": target}, ctx)


@pytest.mark.parametrize("target", FILES)
async def test_each_target_has_its_files_headed_by_the_contracts_hash(
    target: str, ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, PLAIN)
    result = await bridge(ctx, target)

    assert result.written == [f"units/todo-be/contract/{name}" for name in FILES[target]]
    assert result.warnings == []
    for name in FILES[target]:
        head = (folder / name).read_text(encoding="utf-8").splitlines()[:2]
        assert any(result.contract_hash in line for line in head), name
    [event] = recorded_events(tmp_path)
    assert event.type == "contract.bridged"
    assert event.data["hash"] == result.contract_hash
    assert event.data["written"] == result.written


async def test_the_same_contract_again_changes_nothing(ctx: ToolContext, tmp_path: Path) -> None:
    promise(tmp_path, PLAIN)
    first = await bridge(ctx, "python")
    again = await bridge(ctx, "python")

    assert again.written == again.kept == []
    assert again.unchanged == first.written
    assert len(recorded_events(tmp_path)) == 1


@pytest.mark.parametrize(
    ("target", "name"),
    [("python", "handlers.py"), ("typescript", "handlers.ts"), ("json-schema", "schema.json")],
)
async def test_a_file_that_was_edited_by_hand_is_kept(
    target: str, name: str, ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, PLAIN)
    await bridge(ctx, target)
    edited = (folder / name).read_text(encoding="utf-8") + "\n 手写 by hand\n"
    (folder / name).write_text(edited, encoding="utf-8")
    promise(tmp_path, {**PLAIN, "version": 2})
    result = await bridge(ctx, target)

    assert [file.path for file in result.kept] == [f"units/todo-be/contract/{name}"]
    assert "edited by hand" in result.kept[0].reason
    assert (folder / name).read_text(encoding="utf-8") == edited
    others = [path for path in FILES[target] if path != name]
    assert result.written == [f"units/todo-be/contract/{path}" for path in others]


async def test_a_file_of_somebody_else_under_that_name_is_kept(
    ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, PLAIN)
    write_as_somebody_else(folder / "types.ts")
    result = await bridge(ctx, "typescript")

    assert [file.path for file in result.kept] == ["units/todo-be/contract/types.ts"]
    assert (folder / "types.ts").read_text() == "export {};\n"


async def test_what_a_caller_gets_in_typescript(
    ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, PLAIN)
    await bridge(ctx, "typescript")
    types = (folder / "types.ts").read_text(encoding="utf-8")

    assert (
        "export interface Todo {\n  id: number;\n  /** What is to be done. * / 做什么 */\n" in types
    )
    assert "  | { status: 200; body: Todo }\n  | { status: 404; body: Problem };" in types
    assert "createTodo(title: string, done?: boolean): Todo | Promise<Todo>;" in types
    assert 'export type ErrorCode = "NOT_FOUND" | 4001;' in types
    assert '  "todo.created": Todo;' in types
    assert '{ method: "DELETE", path: "/todos/{id}", handler: "deleteTodosById" }' in types


async def test_a_schema_document_lets_through_what_the_contract_does(
    ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, PLAIN)
    await bridge(ctx, "json-schema")
    document = orjson.loads((folder / "schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(document)

    def fits(name: str, value: Any) -> bool:
        schema = {**document, **document["$defs"][name]}
        return bool(jsonschema.Draft202012Validator(schema).is_valid(value))

    assert fits("Todo", {"id": 1, "title": "买菜"})
    assert not fits("Todo", {"id": "1", "title": "买菜"})
    assert fits("GET /todos 200", [{"id": 1, "title": "a"}])
    assert not fits("GET /todos 200", [{"id": 1}])
    assert fits("POST /todos request", {"title": "a", "priority": "low"})
    assert not fits("POST /todos request", {"title": "a", "priority": "mid"})


@pytest.mark.parametrize("target", FILES)
async def test_hostile_names_and_every_kind_of_schema_come_through(
    target: str, ctx: ToolContext, tmp_path: Path, folder: Path
) -> None:
    promise(tmp_path, hostile())
    result = await bridge(ctx, target)

    assert result.written
    assert any("Missing" in warning for warning in result.warnings)
    if target == "json-schema":
        document = orjson.loads((folder / "schema.json").read_bytes())
        jsonschema.Draft202012Validator.check_schema(document)
        assert SCHEMAS.keys() <= document["$defs"].keys()
    if target == "python":
        for name in FILES["python"]:
            source = (folder / name).read_text(encoding="utf-8")
            compile(source, name, "exec")


@pytest.mark.parametrize(
    ("unit_id", "reason"), [("没有", "there is no such file"), ("../x", "is no unit's id")]
)
async def test_without_a_contract_nothing_is_made(
    unit_id: str, reason: str, ctx: ToolContext, tmp_path: Path
) -> None:
    result = await bridge(ctx, "python", unit_id)

    assert isinstance(result, Refused)
    assert reason in result.reason
    assert not (tmp_path / "units").exists()


async def test_another_units_folder_is_closed(ctx: ToolContext, tmp_path: Path) -> None:
    promise(tmp_path, PLAIN, "other")
    with pytest.raises(ToolSandboxError, match="units/other/contract"):
        await bridge(ctx, "python", "other")

    assert not (tmp_path / "units").exists()
