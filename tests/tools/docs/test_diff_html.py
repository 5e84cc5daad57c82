from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain.documents.html_diff import HtmlDiff
from devloop_tools.server.bounds import bounded_object
from devloop_tools.server.values import to_json_value
from devloop_tools.toolkit import Refused, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.docs.diff_html import diff_html

TABLE = (
    "<table><thead><tr><th>任务</th><th>工时</th></tr></thead>"
    "<tr><td>登录</td><td>2 天</td></tr></table>"
)
OLD = f"<h1>待办</h1><section><h2>登录</h2><p>用户登录后 token 有效 30 分钟。</p>{TABLE}</section>"
NEW = OLD.replace("30", "45").replace("2 天", "3 天")
ARCHIVED = "prd/_archive/20260101T000000Z-a.html"


def write(root: Path, **pages: str) -> None:
    for name, text in pages.items():
        path = root / f"prd/{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def archive(root: Path, text: str, **more: str) -> None:
    path = root / ARCHIVED
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    entry = {"archive_id": "20260101T000000Z-a.html", "source": "prd/a.html", "path": ARCHIVED}
    manifest = root / "prd/_archive/manifest.ndjson"
    manifest.write_bytes(
        b'{"torn\n[]\n{"archive_id": 3}\n' + orjson.dumps({**entry, **more}) + b"\n"
    )


async def diff(root: Path, **arguments: Any) -> HtmlDiff:
    result = await call_tool(diff_html, arguments, tool_context(root))
    assert isinstance(result, HtmlDiff), result
    return result


async def test_words_and_cells_that_changed_are_told_with_their_section(tmp_path: Path) -> None:
    write(tmp_path, a=OLD, b=NEW)

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html")

    words, cells = result.hunks
    assert result.counts.model_dump() == {"added": 0, "removed": 0, "moved": 0, "changed": 2}
    assert (words.section, words.kind, words.op) == ("登录", "p", "changed")
    assert [word.model_dump() for word in words.words] == [{"old": "30", "new": "45"}]
    assert [cell.model_dump() for cell in cells.cells] == [
        {"row": 2, "column": "工时", "old": "2 天", "new": "3 天"}
    ]


async def test_unified_is_a_text_to_read(tmp_path: Path) -> None:
    write(tmp_path, a=OLD, b=NEW)

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html", context=1)

    assert result.unified.splitlines() == [
        "--- prd/a.html",
        "+++ prd/b.html",
        "@@ 登录 @@",
        "  登录",
        "~ p: 用户登录后 token 有效 [-30-]{+45+} 分钟。",
        "  任务 | 工时",
        "~ tr 2: 工时: [-2 天-]{+3 天+}",
    ]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("<p>看<a href=a>这</a>", "<p>看<a href=b>这</a>", '[a: <a href="a"> → <a href="b">]'),
        ("<p id=a>x", "<p>x", "[id: a → none]"),
        ("<p>x", "<p>x<p>y z", "+ p: y z"),
        ("<p>x<pre>a\n b</pre>", "<p>x", "- pre: a⏎ b"),
        ("<p>甲<h2>A</h2><p>1<p>2", "<h2>A</h2><p>1<p>2<p>甲", "> p (from the top): 甲"),
        ("<table><tr><th>a<tr><td>1", "<table><tr><th>a<th>乙<tr><td>1<td>2", "~ tr 2: 乙: {+2+}"),
    ],
)  # fmt: skip
async def test_each_sort_of_change_has_its_line(
    before: str, after: str, line: str, tmp_path: Path
) -> None:
    write(tmp_path, a=before, b=after)

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html", context=0)

    assert line in result.unified


async def test_a_page_is_compared_with_its_newest_copy(tmp_path: Path) -> None:
    write(tmp_path, a=NEW)
    archive(tmp_path, OLD)

    by_page = await diff(tmp_path, before="prd/a.html")
    by_copy = await diff(tmp_path, before="20260101T000000Z-a.html")

    assert by_page == by_copy
    assert (by_page.before, by_page.after) == (ARCHIVED, "prd/a.html")
    assert by_page.counts.changed == 2


async def test_a_hunk_says_nothing_that_it_has_nothing_to_say_about(tmp_path: Path) -> None:
    write(tmp_path, a="<p>x", b="<p>x<p>新")

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html")

    assert result.model_dump()["hunks"] == [
        {"section": "", "op": "added", "kind": "p", "new": "新"}
    ]


async def test_a_page_is_the_same_as_itself(tmp_path: Path) -> None:
    write(tmp_path, a=OLD)

    result = await diff(tmp_path, before="prd/a.html", after="prd/a.html")

    assert (result.same, result.hunks, result.unified) == (True, [], "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            {"before": "prd/没有.html", "after": "prd/a.html"},
            "prd/没有.html: there is no such file",
        ),
        ({"before": "prd/a.html"}, "prd/a.html: nothing to compare it with"),
        ({"before": "prd/a.html", "after": "prd/deep.html"}, "nested deeper"),
    ],
)
async def test_what_can_not_be_compared_is_refused(
    arguments: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    write(tmp_path, a=OLD, deep="<div>" * 10_000)

    result = await call_tool(diff_html, arguments, tool_context(tmp_path))

    assert isinstance(result, Refused)
    assert reason in result.reason


@pytest.mark.parametrize(
    "path", ["../a.html", "/etc/passwd", ".devloop/state.db", "prd/link.html", "prd"]
)
async def test_no_page_outside_is_read(path: str, tmp_path: Path) -> None:
    write(tmp_path, a=OLD)
    (tmp_path / "prd/link.html").symlink_to("/etc/passwd")

    with pytest.raises(ToolSandboxError):
        await call_tool(diff_html, {"before": path, "after": "prd/a.html"}, tool_context(tmp_path))


async def test_h_h04_a_page_in_another_encoding_is_compared_and_noted(tmp_path: Path) -> None:
    write(tmp_path, a=OLD)
    (tmp_path / "prd/b.html").write_bytes(NEW.encode("gb18030"))

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html")

    assert result.counts.changed == 2
    assert result.notes == [
        "prd/b.html: no encoding is declared and it is not UTF-8; read as GB18030"
    ]


async def test_ten_thousand_changes_are_all_told_h_c04(tmp_path: Path) -> None:
    old = [f"<p>段落 {i}</p>" for i in range(20_000)]
    new = [f"<p>段落 {i} 改了</p>" if i % 2 else text for i, text in enumerate(old)]
    write(tmp_path, a="".join(old), b="".join(new))

    result = await diff(tmp_path, before="prd/a.html", after="prd/b.html", context=0)

    assert result.counts.model_dump() == {"added": 0, "removed": 0, "moved": 0, "changed": 10_000}
    assert len(result.hunks) == 10_000
    assert result.unified.endswith("~ p: 段落 19999{+ 改了+}")
    kept: dict[str, bytes] = {}

    def keep(whole: bytes, ending: str) -> str:
        kept[ending] = whole
        return "whole"

    shown = bounded_object(to_json_value(result), keep)
    assert len(orjson.dumps(shown).decode()) <= 60_000
    assert shown["counts"]["changed"] == 10_000
    assert (shown["truncated"], shown["full_result"]) == (True, "whole")
    assert len(orjson.loads(kept[".json"])["hunks"]) == 10_000
