import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.documents.site import digest
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.toolkit import ToolContext, ToolValidationError
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events
from devloop_tools.tools.docs.write_chapter import write_chapter

TEXT = "# 登录 Login\n\n前言\n\n## 流程 Flow\n\n一步 *two*\n\n### 细节\n\nx\n\n## Limits\n\n三次\n"


def draft(**changes: Any) -> dict[str, Any]:
    return {"site": "prd", "chapter_id": "login", **changes}


async def test_a_chapter_has_sections_anchors_and_its_title_everywhere(
    site: Path, ctx: ToolContext
) -> None:
    result = await call_tool(write_chapter, draft(markdown=TEXT), ctx)
    assert [(a.id, a.level) for a in result.anchors] == [
        ("流程-flow", 2),
        ("细节", 3),
        ("limits", 2),
    ]
    content = (site / "login.html").read_bytes()
    assert result.hash == digest(content)
    page = read_outline(content.decode(), "login.html")
    assert page.text(page.h1) == "登录 Login"
    assert "登录 Login" in (site / "assets/site.js").read_text(encoding="utf-8")


async def test_writing_is_an_event_and_the_same_again_is_none(
    site: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    first = await call_tool(write_chapter, draft(markdown=TEXT), ctx)
    again = await call_tool(write_chapter, draft(markdown=TEXT), ctx)
    events = [e for e in recorded_events(tmp_path) if e.data.get("path") == "prd/login.html"]
    assert again.hash == first.hash
    assert [event.data["hash"] for event in events[1:]] == [first.hash]


async def test_a_section_changes_and_every_other_byte_stays(site: Path, ctx: ToolContext) -> None:
    before = BY_HAND.encode()
    (site / "quota.html").write_bytes(before)
    args = {"site": "prd", "chapter_id": "quota", "mode": "section", "section_id": "limits"}
    result = await call_tool(write_chapter, {**args, "markdown": "新的 **limit**"}, ctx)
    after = (site / "quota.html").read_bytes()
    start = before.index("② Limits per tenant</h2>".encode()) + len(
        "② Limits per tenant</h2>".encode()
    )
    end = before.index(b"</SECTION>")
    assert result.ok
    assert after.startswith(before[:start])
    assert after.endswith(before[end:])
    assert after[start : len(after) - len(before) + end].decode() == (
        "\n<p>新的 <strong>limit</strong></p>\n      "
    )


async def test_a_section_without_id_is_named_by_its_heading(site: Path, ctx: ToolContext) -> None:
    (site / "quota.html").write_text(BY_HAND, encoding="utf-8")
    args = {"site": "prd", "chapter_id": "quota", "mode": "section"}
    args |= {"section_id": "①-现状-三种配额", "html": "<h2>① 新标题</h2><p>x</p>"}
    result = await call_tool(write_chapter, args, ctx)
    text = (site / "quota.html").read_text(encoding="utf-8")
    assert result.anchors[0].title == "① 新标题"
    assert "<section>\n        <h2 id=" in text
    assert "软限制" not in text


@pytest.mark.parametrize(("newline", "other"), [("\r\n", "\n"), ("\n", "\r\n")])
async def test_h_g10_line_ends_stay_as_the_page_has_them(
    newline: str, other: str, site: Path, ctx: ToolContext
) -> None:
    source = BY_HAND.replace("\n", newline).rstrip()
    (site / "quota.html").write_bytes(source.encode())
    args = {"site": "prd", "chapter_id": "quota", "mode": "section", "section_id": "limits"}
    text = other.join(["甲", "", "b"])
    await call_tool(write_chapter, {**args, "markdown": text}, ctx)
    after = (site / "quota.html").read_bytes()
    assert after.count(b"\r\n") == (after.count(b"\n") if newline == "\r\n" else 0)
    assert after.endswith(b"</html>")


async def test_replacing_keeps_the_shell_that_somebody_wrote(site: Path, ctx: ToolContext) -> None:
    (site / "quota.html").write_text(BY_HAND, encoding="utf-8")
    args = {"site": "prd", "chapter_id": "quota", "markdown": "# 新题 New\n\n全文"}
    await call_tool(write_chapter, args, ctx)
    text = (site / "quota.html").read_text(encoding="utf-8")
    assert "<h1>新题 New</h1>" in text
    assert "<title>新题 New · 待办 Todo</title>" in text
    assert '<span class="pill">03 · LIMITS</span>' in text
    assert "软限制" not in text


async def test_appending_adds_a_section_at_the_end(site: Path, ctx: ToolContext) -> None:
    await call_tool(write_chapter, draft(markdown=TEXT), ctx)
    more = draft(mode="append", markdown="## Limits\n\n再来 again")
    result = await call_tool(write_chapter, more, ctx)
    assert [a.id for a in result.anchors] == ["流程-flow", "细节", "limits", "limits-2"]


async def test_a_new_chapter_is_listed_last(site: Path, ctx: ToolContext) -> None:
    args = {"site": "prd", "chapter_id": "术语", "markdown": "# 术语 Terms"}
    assert (await call_tool(write_chapter, args, ctx)).path == "prd/术语.html"
    document = json.loads((site / "site.json").read_text(encoding="utf-8"))
    assert document["chapters"][-1]["title"] == "术语 Terms"
    assert "术语 Terms" in (site / "index.html").read_text(encoding="utf-8")


async def test_a_page_that_others_wrote_since_is_not_overwritten(
    site: Path, ctx: ToolContext
) -> None:
    first = await call_tool(write_chapter, draft(markdown="一"), ctx)
    second = await call_tool(write_chapter, draft(markdown="two", expected_hash=first.hash), ctx)
    late = await call_tool(write_chapter, draft(markdown="三", expected_hash=first.hash), ctx)
    assert second.ok
    assert (late.ok, late.hash) == (False, second.hash)
    assert "two" in (site / "login.html").read_text(encoding="utf-8")


async def test_expecting_a_page_that_is_not_there_says_so(site: Path, ctx: ToolContext) -> None:
    args = {"site": "prd", "chapter_id": "neu", "markdown": "x", "expected_hash": "sha256:0"}
    assert (await call_tool(write_chapter, args, ctx)).hash is None


async def test_h_h01_markup_in_a_title_is_text(site: Path, ctx: ToolContext) -> None:
    title = '</title><script>alert(1)</script>《A & B》" onmouseover="x'
    await call_tool(write_chapter, draft(title=title, html="<p>ok</p>"), ctx)
    source = (site / "login.html").read_text(encoding="utf-8")
    page = read_outline(source, "login.html")
    assert page.text(page.h1) == title
    assert page.text(page.title) == f"{title} · 待办 Todo"
    for name in ("login.html", "index.html", "assets/site.js"):
        content = (site / name).read_text(encoding="utf-8")
        assert "<script>" not in content
        assert '" onmouseover="' not in content


async def test_what_was_taken_out_is_said(site: Path, ctx: ToolContext) -> None:
    result = await call_tool(write_chapter, draft(html="<p onclick=x>好<script>y</script>"), ctx)
    assert result.warnings == ["removed onclick of <p>", "removed <script>"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<meta charset=gbk><p>镕</p>".encode("gb18030"), "not UTF-8"),
        ("中文".encode("utf-16"), "not UTF-8"),
        (b"<div>" * 10_000, "nested deeper"),
        ('<article class="body"><section id="a">被截断'.encode(), "not closed"),
        (b"<html><p>no article", "has no section"),
        (b"x" * (17 * 1024 * 1024), "are not taken apart"),
    ],
    ids=["gbk", "utf-16", "deep", "cut", "other anatomy", "large"],
)
async def test_a_page_that_cannot_be_changed_stays_as_it_is(
    content: bytes, reason: str, site: Path, ctx: ToolContext
) -> None:
    (site / "login.html").write_bytes(content)
    args = draft(mode="section", section_id="a", markdown="x")
    result = await call_tool(write_chapter, args, ctx)
    assert not result.ok
    assert reason in result.reason
    assert (site / "login.html").read_bytes() == content


async def test_an_unknown_section_is_answered_with_those_there_are(
    site: Path, ctx: ToolContext
) -> None:
    await call_tool(write_chapter, draft(markdown=TEXT), ctx)
    args = draft(mode="section", section_id="没有", markdown="x")
    result = await call_tool(write_chapter, args, ctx)
    assert result.hint == "Its sections: intro, 流程-flow, limits."


async def test_without_a_site_the_tool_to_make_one_is_named(ctx: ToolContext) -> None:
    result = await call_tool(write_chapter, draft(markdown="x"), ctx)
    assert result.hint == "Call bootstrap_prd_site first."


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, "markdown"),
        ({"markdown": "x", "html": "y"}, "markdown"),
        ({"markdown": "x", "mode": "section"}, "section_id"),
        ({"markdown": "x", "section_id": "a"}, "section_id"),
    ],
)
async def test_arguments_that_do_not_go_together_are_named(
    changes: dict[str, Any], field: str, ctx: ToolContext
) -> None:
    with pytest.raises(ToolValidationError, match=f"^{field}"):
        await call_tool(write_chapter, draft(**changes), ctx)


@pytest.mark.parametrize("bad", ["a\0", "../x", "index", "_archive", "甲/乙"])
async def test_h_g05_an_id_that_is_no_name_is_no_argument(bad: str, ctx: ToolContext) -> None:
    with pytest.raises(InvalidArguments, match="chapter_id"):
        await call_tool(write_chapter, draft(chapter_id=bad, markdown="x"), ctx)


async def test_h_g09_modes_stay_and_new_files_follow_the_umask(
    site: Path, ctx: ToolContext
) -> None:
    (site / "login.html").chmod(0o664)
    old = os.umask(0o022)
    try:
        await call_tool(write_chapter, draft(markdown="改"), ctx)
        await call_tool(write_chapter, draft(chapter_id="neu", markdown="x"), ctx)
    finally:
        os.umask(old)
    modes = [stat.S_IMODE((site / name).stat().st_mode) for name in ("login.html", "neu.html")]
    assert modes == [0o664, 0o644]


async def test_a_link_in_place_of_a_page_is_not_followed(
    site: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("外", encoding="utf-8")
    (site / "login.html").unlink()
    (site / "login.html").symlink_to(outside)
    with pytest.raises(Exception, match="a link; links are not followed"):
        await call_tool(write_chapter, draft(markdown="x"), ctx)
    assert outside.read_text(encoding="utf-8") == "外"


def test_writers_at_the_same_time_lose_nothing(site: Path, ctx: ToolContext) -> None:
    def append(number: int) -> None:
        args = draft(mode="append", markdown=f"## 第{number}节")
        parsed = write_chapter.arguments.parse("write_chapter", args)
        write_chapter.execute(parsed, ctx)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    text = (site / "login.html").read_text(encoding="utf-8")
    assert all(f"第{number}节" in text for number in range(8))
