import json
from pathlib import Path

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events
from devloop_tools.tools.docs.archive_doc import archive_doc


async def test_the_copy_has_the_same_bytes_and_the_view_links_that_work(
    site: Path, ctx: ToolContext
) -> None:
    source = '<a href="sync.html#同步">s</a>\r\n<img src="assets/图.png">'.encode()
    (site / "login.html").write_bytes(source)
    kept = await call_tool(archive_doc, {"path": "prd/login.html", "reason": "改版前"}, ctx)
    assert (site.parent / kept.path).read_bytes() == source
    view = (site.parent / kept.view).read_bytes().decode()
    assert view == '<a href="../sync.html#同步">s</a>\r\n<img src="../assets/图.png">'


async def test_two_copies_in_one_moment_are_two(site: Path, ctx: ToolContext) -> None:
    ids = set()
    for number in range(5):
        args = {"path": "prd/login.html", "reason": f"第 {number}"}
        ids.add((await call_tool(archive_doc, args, ctx)).archive_id)
    lines = (site / "_archive/manifest.ndjson").read_text(encoding="utf-8").splitlines()
    assert len(ids) == 5
    assert [json.loads(line)["reason"] for line in lines] == [f"第 {n}" for n in range(5)]


async def test_archiving_is_an_event(site: Path, ctx: ToolContext, tmp_path: Path) -> None:
    kept = await call_tool(archive_doc, {"path": "prd/计划.html", "reason": "冻结 freeze"}, ctx)
    event = recorded_events(tmp_path)[-1]
    assert event.type == "doc.archived"
    assert event.data == {
        "site": "prd", "path": kept.path, "archive_id": kept.archive_id, "reason": "冻结 freeze",
    }  # fmt: skip


async def test_a_page_in_another_encoding_is_kept_without_a_view(
    site: Path, ctx: ToolContext
) -> None:
    (site / "login.html").write_bytes("<p>镕</p>".encode("gbk"))
    kept = await call_tool(archive_doc, {"path": "prd/login.html", "reason": "x"}, ctx)
    assert kept.view is None
    assert (site.parent / kept.path).read_bytes() == "<p>镕</p>".encode("gbk")


@pytest.mark.parametrize(
    "path", ["prd/没有.html", "timeline.ndjson", "prd/_archive/manifest.ndjson", "prd"]
)
async def test_what_is_no_page_of_a_site_is_refused(
    path: str, site: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / "timeline.ndjson").write_text("{}\n", encoding="utf-8")
    result = await call_tool(archive_doc, {"path": path, "reason": "x"}, ctx)
    assert not result.ok
    assert path in result.reason
    assert not (site / "_archive").exists()
