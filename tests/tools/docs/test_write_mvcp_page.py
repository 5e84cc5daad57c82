import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.domain.documents.pages import BY_HAND
from tests.tools.docs.contracts import TODO_BE, UNITS

from devloop_tools.domain.contracts.contract import contract_in, hash_of
from devloop_tools.domain.documents.site import digest
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, recorded_events
from devloop_tools.tools.docs.archive_doc import archive_doc
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.diff_units import diff_units
from devloop_tools.tools.docs.hash_contract import hash_contract
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page


@pytest.fixture
async def page(ctx: ToolContext, tmp_path: Path) -> Path:
    """The page of todo-be in a design that nobody has written."""
    made = await call_tool(bootstrap_sdd_site, {"title": "设计 Design", "units": UNITS}, ctx)
    assert made.ok
    return tmp_path / "sdd/units/todo-be.html"


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(TODO_BE), **parts}


async def write(ctx: ToolContext, contract: dict[str, Any] | None = None, **texts: Any) -> Any:
    return await call_tool(
        write_mvcp_page, {"unit_id": "todo-be", "contract": contract or TODO_BE, **texts}, ctx
    )


def content(page: Path) -> bytes:
    return page.read_bytes()


def put(page: Path, text: str) -> None:
    page.write_bytes(text.encode())


def hash_in_units_file(root: Path) -> Any:
    document = json.loads((root / "sdd/units.json").read_text(encoding="utf-8"))
    return next(u["contract_hash"] for u in document["units"] if u["id"] == "todo-be")


async def test_the_page_carries_the_contract_and_units_json_its_hash(
    page: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    result = await write(ctx, model="## 数据 Data\n\n一条 *todo*")
    found = content(page)
    assert contract_in(found, "a.html") == TODO_BE
    assert result.contract_hash == hash_of(TODO_BE).hash == hash_in_units_file(tmp_path)
    assert (result.path, result.hash) == ("sdd/units/todo-be.html", digest(found))
    assert (result.breaking, result.changes, result.warnings) == (False, [], [])
    assert (await call_tool(hash_contract, {"unit_id": "todo-be"}, ctx)).hash == hash_of(
        TODO_BE
    ).hash


async def test_the_contract_is_there_to_be_read(page: Path, ctx: ToolContext) -> None:
    await write(ctx)
    text = content(page).decode()
    for shown in (
        '<h4 id="post-todos"><code>POST /todos</code></h4>',
        "<p>新建一条 &lt;b&gt;todo&lt;/b&gt;</p>",
        "<td><code>title</code></td><td>string</td><td>是</td>"
        "<td>标题; <code>minLength</code> <code>1</code></td>",
        '<td><code>tags</code></td><td>(<code>"家"</code> | <code>"work"</code>)[]</td>',
        '<td>201</td><td></td><td><a href="#type-todo"><code>Todo</code></a></td>',
        "<code>count(done)</code>",
        "string (date) | null",
        "<code>todo.created</code>",
        "标题 is empty, &lt;/script&gt; too",
    ):
        assert shown in text


async def test_the_sections_stand_in_one_order_whatever_was_written_first(
    page: Path, ctx: ToolContext
) -> None:
    await write(ctx, persistence="表 todos")
    await write(ctx, model="甲", controller="# ctl\n\nx")
    await write(ctx, view="<section><p>页</p></section>")
    found = read_outline(content(page).decode(), "a.html")
    names = [section.anchor for section in found.sections]
    assert names == ["contract", "model", "view", "controller", "persistence"]
    titles = [found.text(section.heading) for section in found.sections]
    assert titles == ["契约", "模型", "视图", "ctl", "持久化"]


async def test_writing_the_same_again_changes_no_byte_and_tells_nobody(
    page: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    texts: dict[str, Any] = {
        "model": "字\n\n### 表 Table\n\n| a | b |\n|-|-|\n| 1 | 2 |",
        "view": "<p>v</p>",
    }
    first = await write(ctx, **texts)
    before, events = content(page), len(recorded_events(tmp_path))
    again = await write(ctx, dict(reversed(TODO_BE.items())), **texts)
    assert (again.contract_hash, again.changes) == (first.contract_hash, [])
    await write(ctx, **texts)
    assert content(page) == before
    assert [e.type for e in recorded_events(tmp_path)[events:]] == ["doc.written", "doc.written"]


async def test_a_change_that_breaks_callers_is_told(
    page: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    await write(ctx)
    less = changed(version=2, endpoints=TODO_BE["endpoints"][:1])
    result = await write(ctx, less)
    assert result.breaking
    assert [(c.where, c.what) for c in result.changes if c.breaking] == [
        ("GET /todos/{id}", "endpoint removed")
    ]
    told = recorded_events(tmp_path)[-1]
    assert (told.type, dict(told.data)) == (
        "contract.changed",
        {"unit_id": "todo-be", "hash": result.contract_hash, "breaking": True},
    )


async def test_a_harmless_change_does_not_break(page: Path, ctx: ToolContext) -> None:
    await write(ctx)
    result = await write(ctx, changed(version=2))
    assert (result.breaking, [c.where for c in result.changes]) == (False, ["version"])


async def test_a_contract_that_was_lost_counts_as_broken(page: Path, ctx: ToolContext) -> None:
    await write(ctx)
    text = content(page).decode().replace('"unit": "todo-be",', '"unit" "todo-be",', 1)
    put(page, text)
    result = await write(ctx)
    assert result.breaking
    assert result.changes[0].what.startswith("the contract before can't be compared")
    assert contract_in(content(page), "a.html") == TODO_BE


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"version": None}, "contract: no contract: version"),
        ({"unit": "todo-fe"}, "contract.unit: it is todo-fe, the page is of todo-be"),
        ({"types": {}}, "undefined-type"),
        ({"endpoints": [*TODO_BE["endpoints"],
                        {"method": "get", "path": "/todos/:num"}]}, "duplicate-endpoint"),
        ({"functions": [{"name": "f"}, {"name": "f"}]}, "duplicate-name"),
        ({"events": [{"name": "待办", "payload": {"type": "text"}}]}, "events.0.payload.type"),
        ({"endpoints": [{"method": "GET", "path": "/a", "responses": {"ok": {}}}]},
         "invalid-status"),
    ],
)  # fmt: skip
async def test_what_is_no_sound_contract_is_refused_and_nothing_is_written(
    parts: dict[str, Any], reason: str, page: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    before = content(page)
    result = await write(ctx, changed(**parts), model="新")
    assert not result.ok
    assert reason in result.reason
    assert (content(page), hash_in_units_file(tmp_path)) == (before, None)


async def test_a_unit_that_nobody_planned_is_refused_with_its_neighbours(
    page: Path, ctx: ToolContext
) -> None:
    args = {"unit_id": "todo-bee", "contract": {"unit": "todo-bee", "version": 1}}
    result = await call_tool(write_mvcp_page, args, ctx)
    assert "no unit todo-bee" in result.reason
    assert "todo-be" in result.hint


async def test_without_a_site_the_tool_to_make_one_is_named(ctx: ToolContext) -> None:
    assert (await write(ctx)).hint == "Call bootstrap_sdd_site first."


async def test_scripts_in_a_text_go_and_are_named(page: Path, ctx: ToolContext) -> None:
    result = await write(ctx, view='<p onclick="x()">视</p><script>bad()</script>')
    assert "<p>视</p>" in content(page).decode()
    assert "view: removed <script>" in result.warnings


async def test_a_page_written_by_hand_keeps_every_byte_but_the_tool_s_sections(
    page: Path, ctx: ToolContext
) -> None:
    put(page, BY_HAND)
    result = await write(ctx, model="新 model")
    after = content(page).decode()
    head, _, rest = after.partition('\n<section id="contract">')
    written, _, tail = rest.partition("</section>\n    </article>")
    tail = f"\n    </article>{tail}"
    assert result.ok
    assert head + tail == BY_HAND
    assert '<section id="model">' in written


async def test_sections_written_by_hand_are_found_by_id_or_heading(
    page: Path, ctx: ToolContext
) -> None:
    by_hand = BY_HAND.replace("<h2>① 现状 · 三种配额</h2>", '<div class="t"><h2>Model</h2></div>')
    by_hand = by_hand.replace('<section id="empty"></section>', "<section id=contract></section>")
    put(page, by_hand.replace("\n", "\r\n"))
    await write(ctx, model="新 text\n\n### 细 detail")
    once = content(page)
    text = once.decode()
    assert "软限制" not in text
    assert '<div class="t"><h2>Model</h2></div>\r\n<p>新 text</p>' in text
    assert text.count("\n") == text.count("\r\n")
    assert text.count("<section id=contract>") == text.lower().count("id=contract") == 1
    await write(ctx, model="新 text\n\n### 细 detail")
    assert content(page) == once


async def test_a_contract_element_elsewhere_is_filled_where_it_stands(
    page: Path, ctx: ToolContext
) -> None:
    script = "<SCRIPT id='data-contract' type='Application/JSON'>{\"unit\": 1}</SCRIPT>"
    put(page, BY_HAND.replace("</body>", f"{script}\n</body>"))
    await write(ctx)
    text = content(page).decode()
    assert text.lower().count("<script id='data-contract'") == 1
    assert text.count("data-contract") == 1
    assert contract_in(content(page), "a.html") == TODO_BE


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("<article class='body'><p>x", "no whole article.body"),
        ("<template><article class='body'></article></template>", "no whole article.body"),
        ("<article class='body'><section id=contract><p>x</article>", "is not closed"),
        ("<article class='body'><div hidden><!-- </article>", "no whole article.body"),
        ("<article class='body'><textarea></article>", "no whole article.body"),
    ],
)
async def test_a_page_that_cannot_take_it_stays_as_it_is(
    fault: str, reason: str, page: Path, ctx: ToolContext, tmp_path: Path
) -> None:
    put(page, fault)
    result = await write(ctx)
    assert reason in result.reason
    assert (content(page).decode(), hash_in_units_file(tmp_path)) == (fault, None)


async def test_two_states_are_compared_when_the_page_was_archived(
    page: Path, ctx: ToolContext
) -> None:
    await write(ctx)
    for path in ("sdd/units/todo-be.html", "sdd/units.json"):
        assert (await call_tool(archive_doc, {"path": path, "reason": "v1"}, ctx)).ok
    await write(ctx, changed(endpoints=[]))
    result = await call_tool(diff_units, {}, ctx)
    assert (result.breaking, result.contracts[0].callers) == (True, ["todo-fe"])
