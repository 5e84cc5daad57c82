import json
from pathlib import Path

import pytest
from tests.tools.docs.conftest import CHAPTERS

from devloop_tools.domain.html.outline import read_outline
from devloop_tools.storage.errors import ToolSandboxError
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.write_chapter import write_chapter


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


async def test_a_site_has_its_pages_in_order_and_all_that_they_load(site: Path) -> None:
    document = json.loads((site / "site.json").read_text(encoding="utf-8"))
    assert [chapter["id"] for chapter in document["chapters"]] == ["login", "sync", "计划"]
    assert document["language"] == "zh-CN"
    assert {"index.html", "login.html", "sync.html", "计划.html", "assets/shell.js"} <= files(
        site
    ).keys()


async def test_a_new_page_has_the_anatomy_and_no_script_of_its_own(site: Path) -> None:
    source = (site / "login.html").read_text(encoding="utf-8")
    page = read_outline(source, "login.html")
    assert page.text(page.h1) == "登录 Login"
    assert page.article is not None
    assert page.article.closed
    assert source.count("<script src=") == source.count("<script") == 1
    assert " on" not in source.replace(" one", "")


async def test_making_it_again_changes_nothing(site: Path, ctx: ToolContext) -> None:
    before = files(site)
    made = await call_tool(bootstrap_prd_site, {"title": "待办 Todo", "chapters": CHAPTERS}, ctx)
    assert (made.created, made.updated, made.kept) == ([], [], [])
    assert files(site) == before


async def test_a_new_chapter_stands_where_it_stood_in_the_plan(
    site: Path, ctx: ToolContext
) -> None:
    chapters = [CHAPTERS[0], {"id": "quota", "title": "配额"}, CHAPTERS[1]]
    made = await call_tool(bootstrap_prd_site, {"title": "待办 Todo", "chapters": chapters}, ctx)
    document = json.loads((site / "site.json").read_text(encoding="utf-8"))
    assert [c["id"] for c in document["chapters"]] == ["login", "quota", "sync", "计划"]
    assert made.created == ["prd/quota.html"]
    assert "quota.html" in (site / "index.html").read_text(encoding="utf-8")


async def test_what_somebody_wrote_is_kept(site: Path, ctx: ToolContext) -> None:
    (site / "login.html").write_text("<p>手写 by hand</p>", encoding="utf-8")
    (site / "assets/shell.css").write_text("/* mine */", encoding="utf-8")
    made = await call_tool(bootstrap_prd_site, {"title": "新", "chapters": CHAPTERS}, ctx)
    assert made.kept == ["prd/login.html", "prd/assets/shell.css"]
    assert (site / "login.html").read_text(encoding="utf-8") == "<p>手写 by hand</p>"
    assert (site / "assets/shell.css").read_text(encoding="utf-8") == "/* mine */"


async def test_overwriting_keeps_what_was_written_in_the_archive(
    site: Path, ctx: ToolContext
) -> None:
    args = {"site": "prd", "chapter_id": "login", "markdown": "写好的 text"}
    await call_tool(write_chapter, args, ctx)
    written = (site / "login.html").read_bytes()
    again = {"title": "新 New", "chapters": CHAPTERS, "overwrite": True}
    made = await call_tool(bootstrap_prd_site, again, ctx)
    assert "prd/login.html" in made.updated
    kept = [content for path, content in files(site).items() if path.startswith("_archive/")]
    assert written in kept
    assert "新 New" in (site / "login.html").read_text(encoding="utf-8")


async def test_every_page_written_is_an_event(site: Path, tmp_path: Path) -> None:
    events = [event for event in recorded_events(tmp_path) if event.type == "doc.written"]
    assert {event.data["path"] for event in events} == {
        "prd/login.html", "prd/sync.html", "prd/计划.html", "prd/index.html",
    }  # fmt: skip
    assert all(event.data["hash"].startswith("sha256:") for event in events)


async def test_ids_that_name_one_file_are_refused(ctx: ToolContext, tmp_path: Path) -> None:
    chapters = [{"id": "Login", "title": "A"}, {"id": "login", "title": "乙"}]
    made = await call_tool(bootstrap_prd_site, {"title": "T", "chapters": chapters}, ctx)
    assert made.reason == "chapters: the ids Login and login name the same file"
    assert not (tmp_path / "prd").exists()


@pytest.mark.parametrize("bad", ["../x", "a/b", "", ".x", "index", "a b", "x" * 65, "a\0"])
async def test_an_id_that_is_no_file_name_is_no_argument(bad: str, ctx: ToolContext) -> None:
    arguments = {"title": "T", "chapters": [{"id": bad, "title": "甲"}]}
    with pytest.raises(InvalidArguments, match=r"chapters"):
        await call_tool(bootstrap_prd_site, arguments, ctx)


async def test_markup_in_titles_is_text_everywhere(ctx: ToolContext, tmp_path: Path) -> None:
    title = '</title><script>alert(1)</script>《A & B》" onmouseover="x'
    chapters = [{"id": "a", "title": title, "group": title, "summary": title}]
    await call_tool(bootstrap_prd_site, {"title": title, "chapters": chapters}, ctx)
    for path, content in files(tmp_path / "prd").items():
        if path.endswith((".html", ".json")) or path == "assets/site.js":
            assert path == "site.json" or b"<script>" not in content
            assert b'" onmouseover="' not in content
    page = read_outline((tmp_path / "prd/a.html").read_text(encoding="utf-8"), "a.html")
    assert page.text(page.h1) == title


async def test_an_agent_without_the_grant_to_write_there_is_stopped(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="coder", write_allow=["units/**"])
    with pytest.raises(ToolSandboxError):
        await call_tool(bootstrap_prd_site, {"title": "T", "chapters": []}, ctx)
    assert not (tmp_path / "prd").exists()
