"""A tool's module is imported when the tool is first called or drawn, and only then."""

import threading
from pathlib import Path

import pytest
from tests.server.conftest import connected, text_of, timeline_of

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool


class NoInput(ToolInput):
    pass


@tool(READ)
async def sure(args: NoInput, ctx: ToolContext) -> str:
    """Answer. 回答。"""
    return "好"


def no_module() -> ToolDefinition:
    raise ModuleNotFoundError("No module named '没有'")


async def test_a_tool_that_can_not_be_imported_is_a_failure_of_its_call(tmp_path: Path) -> None:
    broken = ToolEntry("broken", "docs", "tools.docs.broken", no_module)
    async with connected(tmp_path, broken, sure) as client:
        result = await client.call("broken")
        assert result["isError"] is True
        assert text_of(result).startswith("broken failed: ModuleNotFoundError: No module named")
        assert text_of(await client.call("sure")) == "好"
        plain = await client.error("tools.execute", {"name": "broken"})
    assert plain["data"]["kind"] == "crash"
    assert [line["summary"].partition(":")[0] for line in timeline_of(tmp_path)] == ["broken"] * 2


async def test_a_slow_import_holds_up_nobody(tmp_path: Path) -> None:
    imports: list[threading.Thread] = []
    go_on = threading.Event()

    def load() -> ToolDefinition:
        imports.append(threading.current_thread())
        assert go_on.wait(5)
        return sure

    slow = ToolEntry("sure", "docs", "tools.docs.sure", load)
    async with connected(tmp_path, slow) as client:
        calls = [client.start_call("sure") for _ in range(2)]
        await client.result("ping")
        go_on.set()
        results = [(await client.reply(call))["result"] for call in calls]
        again = await client.call("sure")
    assert [text_of(result) for result in [*results, again]] == ["好"] * 3
    assert threading.main_thread() not in imports


async def test_a_tool_that_can_not_be_imported_hides_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = ToolEntry("broken", "docs", "tools.docs.broken", no_module)
    async with connected(tmp_path, sure, broken) as client:
        listed = [tool["name"] for tool in (await client.result("tools/list"))["tools"]]
        plain = (await client.result("tools.list"))["tools"]
    assert "sure" in listed
    assert "broken" not in listed
    assert [tool["name"] for tool in plain] == listed
    assert "tools.docs.broken can't be listed" in caplog.text
    assert "No module named '没有'" in caplog.text
