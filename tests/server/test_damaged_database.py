"""A database that can't be used: nothing half done, and a word on what to do."""

from pathlib import Path

from tests.server.conftest import connected, text_of

from devloop_tools.toolkit import WRITE, ToolContext, ToolInput, tool


class NoInput(ToolInput):
    pass


async def test_no_file_is_changed_while_the_change_could_not_be_committed(tmp_path: Path) -> None:
    (tmp_path / ".devloop").mkdir()
    (tmp_path / ".devloop" / "state.db").write_bytes(b"damaged" * 1000)
    async with connected(tmp_path) as client:
        result = await client.call("update_runtime_state", {"patch": {"阶段": "build"}})
        list_result = await client.call("write_todolist", {"items": []})
    assert (result["isError"], list_result["isError"]) == (True, True)
    assert "state.db can't be opened: file is not a database. Stop" in text_of(result)
    assert not (tmp_path / "agent-state").exists()


async def test_a_tool_that_changes_no_project_needs_no_database(tmp_path: Path) -> None:
    (tmp_path / ".devloop" / "state.db").mkdir(parents=True)
    async with connected(tmp_path, tool(WRITE)(_answer)) as client:
        assert text_of(await client.call("_answer")) == "好"


def _answer(args: NoInput, ctx: ToolContext) -> str:
    """Answer."""
    return "好"
