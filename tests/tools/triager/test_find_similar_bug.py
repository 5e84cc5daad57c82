from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain.bugs import finding
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.bug_open import bug_open
from devloop_tools.tools.tester.bug_transition import bug_transition
from devloop_tools.tools.triager.find_similar_bug import find_similar_bug


@pytest.fixture(autouse=True)
async def bugs(ctx: ToolContext) -> None:
    for title, actual in [
        ("登录后会话立刻过期", "createSession() 把 ttl 当毫秒"),
        ("Cart total is wrong", "applyCoupon subtracts twice"),
        ("导出 CSV 少最后一行", "exportRows 只写到倒数第二行"),
    ]:
        report = {"title": title, "severity": "major", "expected": "ok", "actual": actual}
        await call_tool(bug_open, report, ctx)


async def found(ctx: ToolContext, **arguments: Any) -> Any:
    return await call_tool(find_similar_bug, arguments, ctx)


async def test_a_text_finds_bugs_of_another_language(ctx: ToolContext) -> None:
    result = await found(ctx, text="Session expires right after login\nttl is too short")
    assert (result.searched, result.bugs[0].id) == (3, "BUG-0001")
    assert "ttl" in result.bugs[0].shared
    assert result.bugs[0].score == max(bug.score for bug in result.bugs)
    assert (await found(ctx, text="购物车总价错误 applyCoupon")).bugs[0].id == "BUG-0002"


async def test_a_bug_finds_others_and_not_itself_also_finished_ones(ctx: ToolContext) -> None:
    step = {"id": "BUG-0003", "to": "wontfix", "reason": "r"}
    await call_tool(bug_transition, step, ctx)
    report = {"title": "exportRows loses a row", "severity": "minor", "expected": "100 行",
              "actual": "99 行, 最后一行没有"}  # fmt: skip
    await call_tool(bug_open, report, ctx)
    result = await found(ctx, bug_id="BUG-0004", limit=1)
    assert [(bug.id, bug.status) for bug in result.bugs] == [("BUG-0003", "wontfix")]


async def test_what_is_not_there_or_not_clear_is_told(ctx: ToolContext) -> None:
    assert (await found(ctx, bug_id="BUG-0099")).reason == "bug_id: there is no BUG-0099"
    assert "exactly one of them" in (await found(ctx)).reason
    assert "exactly one of them" in (await found(ctx, bug_id="BUG-0001", text="x")).reason
    assert (await found(ctx, text="火星 zzz")).bugs == []


async def test_a_meaning_is_told_and_nothing_is_loaded_for_no_bugs(
    ctx: ToolContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [first, *_] = (await found(ctx, text="会话登录后过期了")).bugs
    assert (first.id, first.shared[0]) == ("BUG-0001", "similar meaning")

    def fail() -> None:
        raise AssertionError("the encoder is asked for")

    monkeypatch.setattr(finding, "likeness", fail)
    (tmp_path / "新").mkdir()
    assert (await found(tool_context(tmp_path / "新"), text="x")).searched == 0
