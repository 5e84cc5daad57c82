"""tools/list: what the agent is granted, in pages."""

from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import Client, connected

from devloop_tools.domain.outcome import Done
from devloop_tools.server.paging import PAGE_SIZE
from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool


class NoInput(ToolInput):
    pass


class Counted(Done):
    count: int


def numbered(number: int) -> ToolDefinition:
    async def numbered_tool(args: NoInput, ctx: ToolContext) -> Counted:
        """Count. 数一数。"""
        return Counted(count=number)

    numbered_tool.__name__ = f"numbered_{number:03}"
    return tool(READ)(numbered_tool)


@tool(READ)
async def prose(args: NoInput, ctx: ToolContext) -> str:
    """Tell."""
    return "text"


async def names(client: Client, params: object = None) -> list[str]:
    return [entry["name"] for entry in (await client.result("tools/list", params))["tools"]]


async def test_the_list_is_sorted_and_stays_the_same(tmp_path: Path) -> None:
    async with connected(tmp_path, prose, numbered(2), numbered(1)) as client:
        first = await names(client)
        await client.call("numbered_001")
        assert await names(client) == first == sorted(first)
    assert {"numbered_001", "numbered_002", "prose", "write_todolist"} <= set(first)


async def test_only_what_is_granted_is_listed(tmp_path: Path) -> None:
    async with connected(tmp_path, prose, granted=["timeline_append", "Read"]) as client:
        assert await names(client) == ["timeline_append"]


async def test_a_long_list_comes_in_pages_that_hold_every_tool_once(tmp_path: Path) -> None:
    tools = [numbered(number) for number in range(2 * PAGE_SIZE + 50)]
    async with connected(tmp_path, *tools) as client:
        pages: list[list[str]] = []
        params: dict[str, Any] = {}
        while True:
            page = await client.result("tools/list", params)
            pages.append([entry["name"] for entry in page["tools"]])
            if "nextCursor" not in page:
                break
            params = {"cursor": page["nextCursor"]}
    everything = [name for page in pages for name in page]
    assert [len(page) for page in pages[:-1]] == [PAGE_SIZE, PAGE_SIZE]
    assert everything == sorted(set(everything))
    assert len(everything) > 250


async def test_a_full_last_page_names_no_next_one(tmp_path: Path) -> None:
    granted = [f"numbered_{number:03}" for number in range(PAGE_SIZE)]
    tools = [numbered(number) for number in range(PAGE_SIZE)]
    async with connected(tmp_path, *tools, granted=granted) as client:
        page = await client.result("tools/list")
        assert len(page["tools"]) == PAGE_SIZE
        assert "nextCursor" not in page


@pytest.mark.parametrize(
    "cursor", ["不存在", "", 0, 1.5, True, [], {"a": [1]}, "\ud800", "x" * 9999]
)
async def test_a_cursor_that_was_not_given_out_is_refused(cursor: object, tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        error = await client.error("tools/list", {"cursor": cursor})
        assert error["code"] == -32602
        assert error["message"].startswith("cursor: ")
        assert len(error["message"]) < 200


async def test_a_deeply_nested_cursor_is_refused_too(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        cursor = "[" * 900 + "]" * 900
        line = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":' + cursor + "}}"
        client.send_line(line.encode())
        assert (await client.reply(1))["error"]["code"] == -32602


async def test_a_null_cursor_is_the_first_page(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert await names(client, {"cursor": None}) == await names(client)


@pytest.mark.parametrize(
    ("version", "annotations", "output"),
    [
        ("2024-11-05", False, False),
        ("2025-03-26", True, False),
        ("2025-06-18", True, True),
        ("2025-11-25", True, True),
    ],
)
async def test_each_revision_sees_what_it_knows(
    version: str, annotations: bool, output: bool, tmp_path: Path
) -> None:
    async with connected(tmp_path, numbered(1), version=version) as client:
        tools = (await client.result("tools/list"))["tools"]
        [seen] = [entry for entry in tools if entry["name"] == "numbered_001"]
        called = await client.call("numbered_001")
    assert ("annotations" in seen, "outputSchema" in seen) == (annotations, output)
    assert ("structuredContent" in called) == output
    assert seen["inputSchema"]["type"] == "object"
    assert seen["description"] == "Count. 数一数。"


async def test_prose_has_no_schema_of_its_result_and_hints_are_honest(tmp_path: Path) -> None:
    async with connected(tmp_path, prose) as client:
        tools = (await client.result("tools/list"))["tools"]
    [seen] = [entry for entry in tools if entry["name"] == "prose"]
    assert "outputSchema" not in seen
    assert seen["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
