from typing import Any

import pytest
from tests.tools.tester.conftest import Doing

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.tester.bug_list import bug_list


async def ids(ctx: ToolContext, **wanted: Any) -> list[str]:
    return [bug.id for bug in (await call_tool(bug_list, wanted, ctx)).bugs]


async def test_an_empty_project_has_no_bugs(ctx: ToolContext) -> None:
    page = await call_tool(bug_list, {}, ctx)
    assert (page.ok, page.bugs, page.total, page.next_cursor) == (True, [], 0, None)


async def test_the_newest_comes_first_and_paging_is_stable(
    opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    for number in range(7):
        await opened(title=f"缺陷 {number}x")
    page = await call_tool(bug_list, {"limit": 3}, ctx)
    assert [bug.id for bug in page.bugs] == ["BUG-0007", "BUG-0006", "BUG-0005"]
    assert (page.total, page.next_cursor) == (7, "BUG-0005")
    await opened(title="meanwhile")
    await opened(title="缺陷 6x")
    await moved("BUG-0004", "triaged")
    page = await call_tool(bug_list, {"limit": 3, "cursor": page.next_cursor}, ctx)
    assert [bug.id for bug in page.bugs] == ["BUG-0004", "BUG-0003", "BUG-0002"]
    page = await call_tool(bug_list, {"limit": 3, "cursor": page.next_cursor}, ctx)
    assert ([bug.id for bug in page.bugs], page.next_cursor) == (["BUG-0001"], None)


async def test_filters_hold_together(opened: Doing, moved: Doing, ctx: ToolContext) -> None:
    await opened(title="a", unit_id="前端", severity="minor", category="flaky")
    await opened(title="b", severity="minor")
    await opened(title="c", category="flaky")
    await moved("BUG-0003", "triaged")
    assert await ids(ctx, unit_id="前端") == ["BUG-0001"]
    assert await ids(ctx, severity="minor") == ["BUG-0002", "BUG-0001"]
    assert await ids(ctx, category="flaky", status="open") == ["BUG-0001"]
    assert await ids(ctx, category="flaky", severity="blocker") == []


async def test_words_are_found_in_every_text_and_script(opened: Doing, ctx: ToolContext) -> None:
    quote = {"path": "src/购物车.ts", "line": 3, "quote": "total += ПРИВЕТ"}
    await opened(title="ＰＯＳＴ /todos 空标题", steps="先登录 then post", evidence=[quote])
    await opened(title="100% broken_thing ~x", actual="另一个 failure")
    assert await ids(ctx, text="post 空标题") == ["BUG-0001"]
    assert await ids(ctx, text="POST 失败") == []
    assert await ids(ctx, text="登录 THEN 购物车 привет") == ["BUG-0001"]
    assert await ids(ctx, text="100% n_t ~X") == ["BUG-0002"]
    assert await ids(ctx, text="100_") == []
    assert await ids(ctx, text="bug-0002") == ["BUG-0002"]


async def test_long_texts_are_cut_in_a_list_and_whole_by_id(
    opened: Doing, ctx: ToolContext
) -> None:
    await opened(actual="错" * 8000)
    [bug] = (await call_tool(bug_list, {}, ctx)).bugs
    assert bug.actual == "错" * 300 + "…"
    assert (bug.history, bug.legal[0]) == ([], "triaged")
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert bug.actual == "错" * 8000


@pytest.mark.parametrize("text", ["'; DROP TABLE bugs; --", '"', "\\", "%", "_", "~"])
async def test_what_means_something_in_sql_means_nothing_here(
    text: str, opened: Doing, ctx: ToolContext
) -> None:
    await opened(expected="400", actual="500")
    assert await ids(ctx, text=text) == []
    await opened(title=f"x {text} y")
    assert await ids(ctx, text=text) == ["BUG-0002"]
