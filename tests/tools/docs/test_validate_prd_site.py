import json
from pathlib import Path
from typing import Any

import pytest
from tests.domain.documents.pages import BY_HAND

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.docs.archive_doc import archive_doc
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.validate_prd_site import validate_prd_site
from devloop_tools.tools.docs.write_chapter import write_chapter

PAGE = '<!doctype html>\n<article class="body">\n{}\n</article>\n'


async def findings(site: Path, ctx: ToolContext, body: str) -> list[tuple[str, int]]:
    """Codes and lines of what is found on login.html with `body` in line 3."""
    (site / "login.html").write_text(PAGE.format(body), encoding="utf-8")
    result = await call_tool(validate_prd_site, {}, ctx)
    return [(f.code, f.line) for f in result.findings if f.page == "prd/login.html"]


@pytest.mark.parametrize(
    ("code", "fault", "looks_like_it"),
    [
        ("broken-link", '<a href="没有.html">x</a>', '<a href="sync.html?x#intro">x</a>'),
        ("broken-link", '<a href="../../out.html">x</a>', '<a href="https://e.x/没有.html">x</a>'),
        ("broken-link", '<a href="sub/">x</a>', '<a href="mailto:a@e.x">x</a>'),
        ("broken-anchor", '<a href="#没有">x</a>', '<h2>安装</h2><a href="#安装">x</a>'),
        ("broken-anchor", '<a href="sync.html#x">x</a>', '<a href="%E8%AE%A1%E5%88%92.html">x</a>'),
        ("missing-asset", '<img alt="图" src="图.png">', '<img alt="图" src="data:,x">'),
        ("outside-asset", '<img alt="图" src="//e.x/a">', '<a href="https://e.x/a.js">x</a>'),
        ("script-link", '<a href="JavaScript:void(0)">x</a>', '<a href="?q=javascript:">x</a>'),
        ("duplicate-id", '<i id="甲"></i><b id="甲"></b>', '<i id="甲"></i><!-- <b id="甲"> -->'),
        ("unclosed-tag", "<div>中", "<ul><li>一<li>二</ul>"),
        ("misnested-tag", "<b><i>x</b></i>", "<b><i>x</i></b>"),
        ("stray-end-tag", "x</div>", "<pre>&lt;/div&gt;</pre>"),
        ("placeholder", "<p>TODO: 写</p>", "<p>todo TODOLIST todo-be <code>TODO</code></p>"),
        ("placeholder", "<p>{{name}}</p>", "<pre>{{port.todo-be}}</pre>"),
        ("placeholder", "<p>待补</p>", "<p>等待补丁发布</p><!-- TBD -->"),
        ("image-without-alt", '<img src="data:,x">', '<img src="data:,x" alt="">'),
    ],
)  # fmt: skip
async def test_a_fault_is_found_in_its_line_and_what_looks_like_it_is_not(
    code: str, fault: str, looks_like_it: str, site: Path, ctx: ToolContext
) -> None:
    assert await findings(site, ctx, fault) == [(code, 3)]
    assert await findings(site, ctx, f"\n{looks_like_it}") == []


async def test_h_h06_broken_nesting_is_reported(site: Path, ctx: ToolContext) -> None:
    body = (
        "<p>开始<p>第二段<div>三</div></p>\n<table><div>x</div><tr><td>1<td>2</table><p>结尾 TAIL"
    )
    assert await findings(site, ctx, body) == [("unclosed-tag", 3)]


async def test_lines_are_those_of_the_source_whatever_its_line_ends(
    site: Path, ctx: ToolContext
) -> None:
    body = "\r\n\r\n<p>一</p>\r\n<img src='data:,x'>"
    (site / "login.html").write_bytes(body.encode())
    result = await call_tool(validate_prd_site, {}, ctx)
    assert [f.line for f in result.findings if f.code == "image-without-alt"] == [4]


async def test_a_page_that_nothing_leads_to_is_an_orphan(site: Path, ctx: ToolContext) -> None:
    (site / "孤.html").write_text(PAGE.format('<a href="孤.html">self</a>'), encoding="utf-8")
    (site / "linked.html").write_text(PAGE.format(""), encoding="utf-8")
    (site / "login.html").write_text(PAGE.format('<a href="linked.html">x</a>'), encoding="utf-8")
    result = await call_tool(validate_prd_site, {}, ctx)
    assert [f.page for f in result.findings if f.code == "orphan-page"] == ["prd/孤.html"]


def change_site_file(site: Path, **changes: Any) -> None:
    document = json.loads((site / "site.json").read_text(encoding="utf-8"))
    (site / "site.json").write_text(json.dumps(document | changes), encoding="utf-8")


async def test_a_chapter_without_a_page_is_missing(site: Path, ctx: ToolContext) -> None:
    (site / "sync.html").unlink()
    result = await call_tool(validate_prd_site, {}, ctx)
    assert ("missing-page", "prd/site.json") in [(f.code, f.page) for f in result.findings]


@pytest.mark.parametrize(("target", "found"), [("计划.html", ["order"]), ("sync.html", [])])
async def test_links_to_the_neighbours_follow_the_order_of_the_site(
    target: str, found: list[str], site: Path, ctx: ToolContext
) -> None:
    body = f'</article><nav class="prev-next"><a href="{target}">下</a></nav><article>'
    assert [code for code, _ in await findings(site, ctx, body)] == found


async def test_a_group_that_is_torn_apart_is_found(site: Path, ctx: ToolContext) -> None:
    pages = {"login": "甲", "sync": "乙", "计划": "甲"}
    chapters = [{"id": page, "title": page, "group": group} for page, group in pages.items()]
    change_site_file(site, chapters=chapters)
    result = await call_tool(validate_prd_site, {}, ctx)
    assert [f.message for f in result.findings if f.code == "order"] == [
        "计划 stands apart from the rest of its group 甲"
    ]


async def test_a_search_index_that_is_behind_is_found(site: Path, ctx: ToolContext) -> None:
    async def stale() -> bool:
        result = await call_tool(validate_prd_site, {}, ctx)
        return "stale-index" in result.codes

    assert await stale()
    await call_tool(update_search_index, {"site": "prd"}, ctx)
    assert not await stale()
    await call_tool(write_chapter, {"site": "prd", "chapter_id": "login", "markdown": "新"}, ctx)
    assert await stale()


@pytest.mark.parametrize(
    "content",
    ["<meta charset=gbk>镕".encode("gbk"), b"<div>" * 10_000, b"x" * (17 * 1024 * 1024)],
    ids=["gbk", "deep", "large"],
)
async def test_a_page_that_cannot_be_read_is_a_finding(
    content: bytes, site: Path, ctx: ToolContext
) -> None:
    (site / "login.html").write_bytes(content)
    result = await call_tool(validate_prd_site, {}, ctx)
    assert [f.page for f in result.findings if f.code == "unreadable"] == ["prd/login.html"]


async def test_h_h07_archiving_breaks_no_link(site: Path, ctx: ToolContext) -> None:
    (site / "login.html").write_text(BY_HAND, encoding="utf-8")
    before = (await call_tool(validate_prd_site, {}, ctx)).codes
    await call_tool(archive_doc, {"path": "prd/login.html", "reason": "旧"}, ctx)
    assert (await call_tool(validate_prd_site, {}, ctx)).codes == before


async def test_a_page_written_by_hand_has_no_fault_but_its_own(
    site: Path, ctx: ToolContext
) -> None:
    (site / "login.html").write_text(BY_HAND, encoding="utf-8")
    result = await call_tool(validate_prd_site, {}, ctx)
    found = [(f.code, f.line) for f in result.findings if f.page == "prd/login.html"]
    assert found == [("stray-end-tag", 30)]


async def test_a_finished_site_passes_strictly(site: Path, ctx: ToolContext) -> None:
    for chapter in ("login", "sync", "计划"):
        args = {"site": "prd", "chapter_id": chapter, "markdown": "## 写好 done\n\n文字"}
        await call_tool(write_chapter, args, ctx)
    await call_tool(update_search_index, {"site": "prd"}, ctx)
    result = await call_tool(validate_prd_site, {"strict": True}, ctx)
    assert (result.passed, result.findings) == (True, [])


async def test_warnings_fail_a_site_only_where_asked(site: Path, ctx: ToolContext) -> None:
    loose = await call_tool(validate_prd_site, {}, ctx)
    strict = await call_tool(validate_prd_site, {"strict": True}, ctx)
    assert (loose.errors, loose.passed, strict.passed) == (0, True, False)


async def test_without_a_site_the_tool_to_make_one_is_named(ctx: ToolContext) -> None:
    assert (await call_tool(validate_prd_site, {}, ctx)).hint == "Call bootstrap_prd_site first."
