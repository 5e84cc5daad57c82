from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.domain.bridge.contracts import PLAIN
from tests.tools.coder.test_contract_bridge import promise

from devloop_tools.domain.contracts.contract import hash_of
from devloop_tools.toolkit import Refused, ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.coder.append_coder_log import append_coder_log

LOG = "units/todo-be/coder-log.ndjson"


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, "coder", unit_id="todo-be", write_allow=["units/todo-be/**"])


def lines(root: Path) -> list[Any]:
    return [orjson.loads(line) for line in (root / LOG).read_bytes().splitlines()]


def tear(root: Path) -> None:
    """Leave what a crash in the middle of a line leaves."""
    with (root / LOG).open("ab") as file:
        file.write(b'{"entry": "to')


async def test_each_call_is_one_line_with_who_and_what(ctx: ToolContext, tmp_path: Path) -> None:
    promise(tmp_path, PLAIN)
    facts = {
        "entry": "标题超过 200 字就拒绝 (maxLength)",
        "files_changed": ["units/todo-be/src/应用.py"],
        "contract_hash": hash_of(PLAIN).hash,
        "level": "warn",
    }
    result = await call_tool(append_coder_log, facts, ctx)
    await call_tool(append_coder_log, {"entry": "second"}, ctx)

    assert (result.path, result.warnings) == (LOG, [])
    first, second = lines(tmp_path)
    assert facts.items() <= first.items()
    assert (first["agent"], first["unit_id"]) == ("coder", "todo-be")
    assert (second["entry"], second["files_changed"], second["level"]) == ("second", [], "info")
    event = recorded_events(tmp_path)[0]
    assert event.type == "coder.logged"
    assert event.data["entry"] == facts["entry"]


async def test_a_torn_line_is_cut_and_never_joined(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(append_coder_log, {"entry": "before"}, ctx)
    tear(tmp_path)
    await call_tool(append_coder_log, {"entry": "after"}, ctx)

    assert [line["entry"] for line in lines(tmp_path)] == ["before", "after"]


async def test_another_contracts_hash_is_logged_and_warned_about(
    ctx: ToolContext, tmp_path: Path
) -> None:
    given = {"entry": "built", "contract_hash": "sha256:" + "0" * 64}
    without = await call_tool(append_coder_log, given, ctx)
    promise(tmp_path, PLAIN)
    against_another = await call_tool(append_coder_log, given, ctx)

    assert ["nothing to compare it with" in text for text in without.warnings] == [True]
    [warning] = against_another.warnings
    assert given["contract_hash"] in warning
    assert hash_of(PLAIN).hash in warning
    assert [line["contract_hash"] for line in lines(tmp_path)] == [given["contract_hash"]] * 2


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a\\b"])
async def test_a_file_that_can_not_be_one_of_the_project_is_warned_about(
    name: str, ctx: ToolContext
) -> None:
    given = {"entry": "built", "files_changed": ["units/todo-be/a.py", name]}
    result = await call_tool(append_coder_log, given, ctx)

    assert [text.startswith("files_changed[1]") for text in result.warnings] == [True]


async def test_without_a_unit_there_is_no_log(tmp_path: Path) -> None:
    result = await call_tool(append_coder_log, {"entry": "x"}, tool_context(tmp_path, "coder"))

    assert isinstance(result, Refused)
    assert "--unit" in result.hint


@pytest.mark.parametrize(
    "wrong", [{"entry": ""}, {"entry": "x", "contract_hash": "abc"}, {"entry": "x", "level": "hi"}]
)
async def test_wrong_arguments_are_named(wrong: dict[str, Any], ctx: ToolContext) -> None:
    with pytest.raises(InvalidArguments):
        await call_tool(append_coder_log, wrong, ctx)
