"""Pages that can't be taken as they are: each tool says so, or copes, and no byte changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain.outcome import Refused
from devloop_tools.toolkit import ToolContext, ToolDefinition
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.docs.archive_doc import archive_doc
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.diff_html import diff_html
from devloop_tools.tools.docs.diff_units import diff_units
from devloop_tools.tools.docs.echo_diff import echo_diff
from devloop_tools.tools.docs.hash_contract import hash_contract
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.validate_prd_site import validate_prd_site
from devloop_tools.tools.docs.validate_sdd_consistency import validate_sdd_consistency
from devloop_tools.tools.docs.write_chapter import write_chapter
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page

UNITS = [{"id": "u", "title": "单元", "kind": "k"}]
CHAPTERS = [{"id": "a", "title": "甲"}]
HEAD = "<!doctype html><html><head><meta charset={}><title>标题</title></head><body>"
BODY = '<article class="body"><section id="s"><h2>节 镕</h2><p>text</p></section></article>'

BAD = {
    "gb18030": (HEAD.format("gb18030") + BODY).encode("gb18030"),
    "undeclared": (HEAD.format("utf-8") + BODY).encode("gb18030"),
    "utf-16": (HEAD.format("utf-16") + BODY).encode("utf-16"),
    "latin1": HEAD.format("iso-8859-1").encode("ascii", "replace") + b"<p>caf\xe9",
    "truncated": (HEAD.format("utf-8") + BODY).encode()[:-35],
    "in a character": (HEAD.format("utf-8") + BODY).encode().partition(b"\x95")[0],
    "one long line": b"<p>" + b"x" * 17_000_000,
    "deep": HEAD.format("utf-8").encode() + b"<div>" * 10_000 + BODY.encode(),
    "empty": b"",
}  # fmt: skip


def calls(page: str) -> Iterator[tuple[ToolDefinition, dict[str, Any]]]:
    """Every tool of PM and Architect, on the page in either site."""
    chapter = {"site": "prd", "chapter_id": "a", "markdown": "新 new"}
    yield bootstrap_prd_site, {"title": "T", "chapters": CHAPTERS}
    yield bootstrap_sdd_site, {"title": "T", "units": UNITS}
    yield update_search_index, {"site": "prd"}
    yield update_search_index, {"site": "sdd"}
    yield validate_prd_site, {}
    yield validate_sdd_consistency, {}
    yield hash_contract, {"unit_id": "u"}
    yield diff_html, {"before": page, "after": "prd/index.html"}
    yield archive_doc, {"path": page, "reason": "坏"}
    yield echo_diff, {"path": page}
    yield diff_units, {"before": "sdd/units.json", "after": "sdd/units.json"}
    yield write_chapter, {**chapter, "mode": "section", "section_id": "s"}
    yield write_chapter, {**chapter, "mode": "append"}
    yield write_mvcp_page, {"unit_id": "u", "contract": {"unit": "u", "version": 1}}


async def try_every_tool(content: bytes, ctx: ToolContext, root: Path) -> None:
    """Each tool copes or refuses with reason and hint, and the pages stay as they are."""
    await call_tool(bootstrap_prd_site, {"title": "T", "chapters": CHAPTERS}, ctx)
    await call_tool(bootstrap_sdd_site, {"title": "T", "units": UNITS}, ctx)
    pages = [root / "prd/a.html", root / "sdd/units/u.html"]
    for page in pages:
        page.write_bytes(content)
    units = (root / "sdd/units.json").read_bytes()
    for definition, arguments in calls("prd/a.html"):
        result = await call_tool(definition, arguments, ctx)
        wrote = definition in (write_chapter, write_mvcp_page)
        assert not (wrote and getattr(result, "ok", True)), definition.name
        if isinstance(result, Refused):
            assert result.reason
            assert result.hint
    assert [page.read_bytes() == content for page in pages] == [True, True]
    assert (root / "sdd/units.json").read_bytes() == units


@pytest.mark.parametrize("kind", BAD)
async def test_every_tool_copes_with_a_bad_page_or_says_what_is_wrong(
    kind: str, ctx: ToolContext, tmp_path: Path
) -> None:
    await try_every_tool(BAD[kind], ctx, tmp_path)


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind not in ("empty", "truncated")])
@pytest.mark.parametrize(
    ("validate", "page"),
    [(validate_prd_site, "prd/a.html"), (validate_sdd_consistency, "sdd/units/u.html")],
    ids=["prd", "sdd"],
)
async def test_a_validator_names_the_page_that_it_can_t_read(
    kind: str, validate: ToolDefinition, page: str, ctx: ToolContext, tmp_path: Path
) -> None:
    await call_tool(bootstrap_prd_site, {"title": "T", "chapters": CHAPTERS}, ctx)
    await call_tool(bootstrap_sdd_site, {"title": "T", "units": UNITS}, ctx)
    (tmp_path / page).write_bytes(BAD[kind])
    result = await call_tool(validate, {}, ctx)
    assert [f.page for f in result.findings if f.code == "unreadable"] == [page]


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe{\x00}\x00", '{"units": [{"id": "镕"}]}'.encode("gbk"), b"[" * 100_000, b"[1", b""],
    ids=["utf-16", "gbk", "deep", "truncated", "empty"],
)
async def test_a_units_file_that_cannot_be_read_is_named(
    content: bytes, ctx: ToolContext, tmp_path: Path
) -> None:
    await call_tool(bootstrap_sdd_site, {"title": "T", "units": UNITS}, ctx)
    file = tmp_path / "sdd/units.json"
    file.write_bytes(content)
    design = {"unit_id": "u", "contract": {"unit": "u", "version": 1}}
    asked: list[tuple[ToolDefinition, dict[str, Any]]] = [
        (bootstrap_sdd_site, {"title": "T", "units": UNITS}),
        (write_mvcp_page, design),
        (validate_sdd_consistency, {}),
        (diff_units, {"before": "sdd/units.json", "after": "sdd/units.json"}),
    ]
    for definition, arguments in asked:
        result = await call_tool(definition, arguments, ctx)
        assert result.reason.startswith("sdd/units.json: "), definition.name
    assert file.read_bytes() == content
