import json
import os
from pathlib import Path
from typing import Any

from tests.domain.documents.pages import BY_HAND

from devloop_tools.domain.documents.search_terms import query_terms
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.write_chapter import write_chapter

SITE = {"site": "prd"}


def shard(site: Path, name: str) -> Any:
    """What a shard hands to the page, as JSON."""
    script = (site / f"assets/search/{name}.js").read_text(encoding="utf-8")
    return json.loads("[" + script.partition("(")[2].rpartition(")")[0] + "]")


def hits(site: Path, query: str) -> set[str]:
    """The pages with a section that holds every term of the query."""
    found: set[str] = set()
    for number in shard(site, "manifest")[0]["shards"]:
        index = shard(site, f"terms-{number}")[1]
        postings = [set(index["terms"].get(term, [])[::2]) for term in query_terms(query)]
        found |= {index["docs"][doc][0] for doc in set.intersection(*postings)}
    return found


def put(site: Path, **pages: str) -> None:
    for name, source in pages.items():
        (site / f"{name}.html").write_text(source, encoding="utf-8")


async def test_h_l01_chinese_is_found_by_words_of_two_characters(
    site: Path, ctx: ToolContext
) -> None:
    put(
        site,
        a="<p>今天讨论了部署方案和回滚流程。</p>",
        b="<p>署部无关</p>",
        c="<p>数据库检索系统设计</p>",
    )
    await call_tool(update_search_index, SITE, ctx)
    expected = {"部署": "a", "部署方案": "a", "数据库": "c", "检索 系统": "c", "回滚流程": "a"}
    assert {query: hits(site, query) for query in expected} == {
        query: {f"{page}.html"} for query, page in expected.items()
    }


async def test_only_changed_pages_are_read_again(site: Path, ctx: ToolContext) -> None:
    first = await call_tool(update_search_index, SITE, ctx)
    second = await call_tool(update_search_index, SITE, ctx)
    put(site, login="<p>全新 wording</p>")
    third = await call_tool(update_search_index, SITE, ctx)
    assert [(r.read, r.unchanged) for r in (first, second, third)] == [(4, 0), (0, 4), (1, 3)]
    assert hits(site, "wording") == {"login.html"}


async def test_a_page_of_the_same_size_and_time_is_read_again(site: Path, ctx: ToolContext) -> None:
    put(site, login="<p>甲 aaa</p>")
    await call_tool(update_search_index, SITE, ctx)
    info = (site / "login.html").stat()
    put(site, login="<p>乙 bbb</p>")
    os.utime(site / "login.html", ns=(info.st_atime_ns, info.st_mtime_ns))
    await call_tool(update_search_index, SITE, ctx)
    assert (hits(site, "aaa"), hits(site, "bbb")) == (set(), {"login.html"})


async def test_a_page_that_went_is_found_no_more(site: Path, ctx: ToolContext) -> None:
    put(site, neu="<p>独角兽 unicorn</p>")
    await call_tool(update_search_index, SITE, ctx)
    (site / "neu.html").unlink()
    result = await call_tool(update_search_index, SITE, ctx)
    assert (result.removed, hits(site, "unicorn")) == (1, set())


async def test_shards_that_somebody_removed_are_made_again(site: Path, ctx: ToolContext) -> None:
    await call_tool(update_search_index, SITE, ctx)
    (site / "assets/search/terms-0.js").unlink()
    await call_tool(update_search_index, SITE, ctx)
    assert "login.html" in hits(site, "登录")


async def test_a_damaged_index_is_made_anew(site: Path, ctx: ToolContext) -> None:
    await call_tool(update_search_index, SITE, ctx)
    (site / "assets/search-index.json").write_text('{"version": 1, "pages": [3, {"坏": 1', "utf-8")
    assert (await call_tool(update_search_index, SITE, ctx)).read == 4


async def test_a_section_is_found_at_the_anchor_that_its_page_has(
    site: Path, ctx: ToolContext
) -> None:
    put(site, quota=BY_HAND)
    await call_tool(update_search_index, SITE, ctx)
    index = json.loads((site / "assets/search-index.json").read_text(encoding="utf-8"))
    [page] = [page for page in index["pages"] if page["path"] == "quota.html"]
    assert [section["id"] for section in page["sections"]] == [
        "", "①-现状-三种配额", "limits", "内层-inner",
    ]  # fmt: skip


async def test_h_h04_pages_in_other_encodings_are_read_and_noted(
    site: Path, ctx: ToolContext
) -> None:
    page = "<meta charset=gb2312><title>网站地图</title><p>镕 € ㈱</p>"
    (site / "gb.html").write_bytes(page.encode("gb18030"))
    (site / "none.html").write_bytes("<p>没有声明的页面</p>".encode("gbk"))
    result = await call_tool(update_search_index, SITE, ctx)
    assert hits(site, "网站地图") == hits(site, "镕") == {"gb.html"}
    assert hits(site, "声明") == {"none.html"}
    assert [note.partition(":")[0] for note in result.notes] == ["prd/none.html"]


async def test_pages_that_cannot_be_read_are_noted_and_the_rest_is_found(
    site: Path, ctx: ToolContext
) -> None:
    put(site, deep="<div>" * 10_000 + "深", long="字" * (6 * 1024 * 1024))
    result = await call_tool(update_search_index, SITE, ctx)
    assert [note.partition(":")[0] for note in result.notes] == ["prd/deep.html", "prd/long.html"]
    assert "login.html" in hits(site, "登录")


async def test_h_h01_no_title_ends_a_script(site: Path, ctx: ToolContext) -> None:
    title = "</script><script>alert('甲')</script>"
    args = {"site": "prd", "chapter_id": "x", "title": title, "markdown": "y"}
    await call_tool(write_chapter, args, ctx)
    await call_tool(update_search_index, SITE, ctx)
    for file in (site / "assets").rglob("*.js*"):
        assert file.name in ("shell.js", "search.js") or "</script>" not in file.read_text("utf-8")


async def test_archived_pages_are_not_found(site: Path, ctx: ToolContext) -> None:
    (site / "_archive").mkdir()
    put(site / "_archive", old="<p>旧版 archived</p>")
    await call_tool(update_search_index, SITE, ctx)
    assert hits(site, "archived") == set()


async def test_many_pages_go_into_several_shards(site: Path, ctx: ToolContext) -> None:
    sections = "".join(f"<section><h2>第{n}节</h2>text</section>" for n in range(50))
    pages = {f"p{n}": f'<article class="body">{sections} only{n}x</article>' for n in range(20)}
    put(site, **pages)
    await call_tool(update_search_index, SITE, ctx)
    assert len(shard(site, "manifest")[0]["shards"]) > 1
    assert [hits(site, f"only{n}x") for n in (0, 19)] == [{"p0.html"}, {"p19.html"}]


async def test_without_pages_the_tool_to_make_a_site_is_named(ctx: ToolContext) -> None:
    result = await call_tool(update_search_index, {"site": "sdd"}, ctx)
    assert result.hint == "Call bootstrap_sdd_site first."
