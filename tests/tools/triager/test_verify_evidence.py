from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext, ToolSandboxError
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.triager.verify_evidence import verify_evidence

TEXT = """import { db } from './库'

export function save(标题: string) {
  if (!标题) throw new Error('title_empty')
  return db.insert(标题)
}
export function other() { return 1 }
"""


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(TEXT, encoding="utf-8")


async def verdict(ctx: ToolContext, line: int, quote: str, path: str = "a.ts") -> Any:
    evidence = [{"path": path, "line": line, "quote": quote}]
    result = await call_tool(verify_evidence, {"evidence": evidence}, ctx)
    [only] = result.verdicts
    assert result.verified == (only.verdict in ("exact", "moved"))
    return only


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (5, "  return db.insert(标题)"),
        (5, "return db.insert(标题)"),
        (5, "return\tdb.insert(标题)\r\n"),
        (5, "db.insert"),
        (4, "if (!标题) throw new Error('title_empty')\nreturn db.insert(标题)"),
        (4, "throw new Error('title_empty')\n  return db.insert(标题)\n}"),
        (4, "throw new Error('title_empty')\n  return db"),
    ],
)
async def test_a_quote_that_stands_there_is_exact(line: int, quote: str, ctx: ToolContext) -> None:
    found = await verdict(ctx, line, quote)
    assert (found.verdict, found.line) == ("exact", line)


@pytest.mark.parametrize(
    ("line", "quote", "there"),
    [
        (1, "return db.insert(标题)", 5),
        (99, "return db.insert(标题)", 5),
        (2, "throw new Error('title_empty')", 4),
        (1, "export function save(标题: string) {\n  if (!标题) throw new Error('title_empty')", 3),
    ],
)
async def test_a_quote_that_stands_elsewhere_has_moved(
    line: int, quote: str, there: int, ctx: ToolContext
) -> None:
    found = await verdict(ctx, line, quote)
    assert (found.verdict, found.line) == ("moved", there)


async def test_of_several_places_the_nearest_counts(ctx: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n" + "pass\n" * 20 + "x = 1\n" + "pass\n" * 9)
    assert (await verdict(ctx, 25, "x = 1", "b.py")).line == 22
    assert (await verdict(ctx, 5, "x = 1", "b.py")).line == 1


async def test_a_part_that_is_too_short_to_be_known_again_has_not_moved(ctx: ToolContext) -> None:
    assert (await verdict(ctx, 2, "db")).verdict == "changed"
    assert (await verdict(ctx, 5, "db")).verdict == "exact"


async def test_a_changed_line_is_shown_as_it_is(ctx: ToolContext) -> None:
    found = await verdict(ctx, 5, "return db.insert(标题, 用户)")
    assert (found.verdict, found.line, found.now) == ("changed", 5, "return db.insert(标题)")
    found = await verdict(ctx, 2, "return db.insert(标题, 用户)")
    assert (found.verdict, found.line) == ("changed", 5)
    found = await verdict(ctx, 7, "完全不同的内容")
    assert found.now == "export function other() { return 1 }"


async def test_what_is_gone_is_missing_with_the_reason(ctx: ToolContext, tmp_path: Path) -> None:
    found = await verdict(ctx, 1, "x", "gone.ts")
    assert (found.verdict, found.reason) == ("missing", "there is no gone.ts.")
    found = await verdict(ctx, 50, "完全不同的内容")
    assert (found.verdict, found.line) == ("missing", None)
    assert "fewer than 50 lines" in found.reason
    (tmp_path / "a.bin").write_bytes(b"a\0b")
    assert (await verdict(ctx, 1, "x", "a.bin")).reason == "a.bin is a binary file."


async def test_verdicts_keep_the_order_over_files(ctx: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "b.ts").write_text("let b\n")
    evidence = [("b.ts", 1, "let b"), ("a.ts", 9, "}"), ("b.ts", 2, "let b"), ("a.ts", 5, "db")]
    items = [{"path": path, "line": line, "quote": quote} for path, line, quote in evidence]
    result = await call_tool(verify_evidence, {"evidence": items}, ctx)
    assert [item.path for item in result.verdicts] == ["b.ts", "a.ts", "b.ts", "a.ts"]
    assert [item.verdict for item in result.verdicts] == ["exact", "moved", "moved", "exact"]


@pytest.mark.parametrize("path", ["../a.ts", "/etc/passwd", ".env", ".devloop/state.db"])
async def test_what_the_agent_may_not_read_is_no_evidence(path: str, ctx: ToolContext) -> None:
    with pytest.raises(ToolSandboxError):
        await verdict(ctx, 1, "x", path)


async def test_a_link_that_leads_out_is_not_followed(ctx: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "link.ts").symlink_to("/etc/passwd")
    with pytest.raises(ToolSandboxError):
        await verdict(ctx, 1, "root", "link.ts")


async def test_a_quote_of_blanks_is_refused(ctx: ToolContext) -> None:
    with pytest.raises(InvalidArguments, match="quote"):
        await verdict(ctx, 1, "  \n")
