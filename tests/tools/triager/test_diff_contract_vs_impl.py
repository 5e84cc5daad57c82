from pathlib import Path
from typing import Any

import pytest
from tests.domain.contract_check.measuring import promise

from devloop_tools.toolkit import Refused, ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.triager.diff_contract_vs_impl import diff_contract_vs_impl

CONTRACT: dict[str, Any] = {
    "unit": "待办",
    "version": 1,
    "endpoints": [
        {"method": "GET", "path": "/todos", "responses": {"200": {}}},
        {"method": "delete", "path": "/todos/:id", "responses": {"204": {}}},
    ],
}
APP = """\
import Fastify from 'fastify'
const app = Fastify()
app.get('/todos', async () => [])
app.post('/todos', async (_, reply) => reply.code(201).send({}))
"""


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, "bug-triager", write_allow=["triage.json"])


def write(root: Path, path: str, content: str) -> None:
    file = root / "units/待办" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


async def diff(ctx: ToolContext, unit_id: str = "待办") -> Any:
    return await call_tool(diff_contract_vs_impl, {"unit_id": unit_id}, ctx)


async def test_each_difference_has_kind_name_file_line_and_why(
    ctx: ToolContext, tmp_path: Path
) -> None:
    promise(tmp_path, "待办", CONTRACT)
    write(tmp_path, "src/服务.ts", APP)
    result = await diff(ctx)

    assert not result.agrees
    assert result.judged == ["endpoints"]
    assert result.contract_hash.startswith("sha256:")
    [missing] = result.missing
    assert (missing.kind, missing.name) == ("endpoint", "DELETE /todos/:id")
    assert (missing.file, missing.line) == (None, None)
    [extra] = result.extra
    assert (extra.name, extra.file, extra.line) == ("POST /todos", "units/待办/src/服务.ts", 4)
    assert extra.why
    assert result.differing == result.unread == []


async def test_a_unit_that_keeps_its_contract_agrees(ctx: ToolContext, tmp_path: Path) -> None:
    promise(tmp_path, "待办", CONTRACT)
    write(tmp_path, "app.py", "from flask import Flask\napp = Flask('a')\n"
          "@app.get('/todos')\ndef todos():\n    return []\n"
          "@app.delete('/todos/<int:id>')\ndef delete(id):\n    return '', 204\n")  # fmt: skip
    result = await diff(ctx)

    assert result.agrees
    assert result.files == 1
    assert list(recorded_events(tmp_path)) == []


async def test_what_could_not_be_read_is_named_and_nothing_agrees(
    ctx: ToolContext, tmp_path: Path
) -> None:
    promise(tmp_path, "待办", {"unit": "待办", "version": 1, "endpoints": []})
    write(
        tmp_path, "a.js", "const app = require('express')()\napp.get(pathOf('todos'), () => {})\n"
    )
    write(tmp_path, "b.js", "\nconst = 1\n")
    write(tmp_path, "c.js", "x" * 300_000)
    result = await diff(ctx)

    assert [(one.file, one.line) for one in result.unread] == [
        ("units/待办/c.js", None), ("units/待办/b.js", 2), ("units/待办/a.js", 2),
    ]  # fmt: skip
    assert "computed" in result.unread[2].why
    assert not result.agrees


async def test_a_unit_without_a_contract_is_refused(ctx: ToolContext, tmp_path: Path) -> None:
    write(tmp_path, "a.js", APP)
    result = await diff(ctx)
    assert isinstance(result, Refused)
    assert "sdd/units/待办.html" in result.reason
    assert result.hint


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("README.md", "# 待办", "no TypeScript, JavaScript or Python source."),
        ("tests/a.test.js", APP, "no TypeScript, JavaScript or Python source."),
        ("src/a.test.js", APP, "(1 tests, generated or set-up files don't count)"),
        ("a.js", "x" * 300_000, "none of its 1 source files could be read; a.js: 300000 bytes"),
    ],
)
async def test_a_unit_without_source_is_refused(
    path: str, content: str, reason: str, ctx: ToolContext, tmp_path: Path
) -> None:
    promise(tmp_path, "待办", CONTRACT)
    write(tmp_path, path, content)
    result = await diff(ctx)
    assert isinstance(result, Refused)
    assert reason in result.reason
    assert result.hint


async def test_a_unit_without_a_folder_or_with_no_id_is_refused(
    ctx: ToolContext, tmp_path: Path
) -> None:
    promise(tmp_path, "待办", CONTRACT)
    assert isinstance(await diff(ctx), Refused)
    assert isinstance(await diff(ctx, "../x"), Refused)


async def test_a_link_out_of_the_unit_is_not_followed(ctx: ToolContext, tmp_path: Path) -> None:
    promise(tmp_path, "待办", CONTRACT)
    write(tmp_path, "a.js", "export const x = 1\n")
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "app.js").write_text(APP)
    (tmp_path / "units/待办/linked").symlink_to(outside)
    (tmp_path / "units/待办/app.js").symlink_to(outside / "app.js")
    result = await diff(ctx)
    assert result.extra == []
    assert result.files == 1
