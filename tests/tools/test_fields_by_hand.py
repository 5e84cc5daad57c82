"""What people add to the files that a tool keeps is there after the tool has written them again."""

import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.write_chapter import write_chapter
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page
from devloop_tools.tools.persistence.record_memory import record_memory
from devloop_tools.tools.persistence.update_runtime_state import update_runtime_state
from devloop_tools.tools.persistence.update_todo_item import update_todo_item
from devloop_tools.tools.persistence.write_todolist import write_todolist

BY_HAND = {"负责人": "李 Li", "estimate": 1.5, "big": 2**70, "nested": {"a": [None, True]}}
Call = tuple[Any, dict[str, Any]]

SITE = {"title": "待办", "chapters": [{"id": "login", "title": "登录"}]}
UNITS = {"title": "SDD", "units": [{"id": "todo-be", "title": "be", "kind": "backend"}]}
ITEM = {"id": "step-001", "description": "写"}
CASES: list[tuple[str, str, Call, Call]] = [
    (
        "agent-state/pm-todo.json", "items",
        (write_todolist, {"items": [ITEM]}),
        (update_todo_item, {"id": "step-001", "status": "done"}),
    ),
    (
        "agent-state/pm-runtime.json", "",
        (update_runtime_state, {"patch": {"phase": "a"}}),
        (update_runtime_state, {"patch": {"phase": "b"}}),
    ),
    (
        "memory/devloop/pm/index.json", "memories",
        (record_memory, {"topic": "登录", "content": "one"}),
        (record_memory, {"topic": "登录", "content": "two", "supersedes": "登录"}),
    ),
    (
        "prd/site.json", "chapters",
        (bootstrap_prd_site, SITE),
        (write_chapter, {"site": "prd", "chapter_id": "login", "title": "登入", "markdown": "x"}),
    ),
    (
        "prd/site.json", "chapters",
        (bootstrap_prd_site, SITE),
        (bootstrap_prd_site, {**SITE, "title": "Todo", "overwrite": True}),
    ),
    (
        "sdd/units.json", "units",
        (bootstrap_sdd_site, UNITS),
        (write_mvcp_page, {"unit_id": "todo-be", "contract": {"unit": "todo-be", "version": 1}}),
    ),
    (
        "sdd/units.json", "units",
        (bootstrap_sdd_site, UNITS),
        (bootstrap_sdd_site, {**UNITS, "units": [{"id": "b", "title": "b", "kind": "backend"}]}),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "entries", "make", "change"), CASES)
async def test_fields_that_nobody_knows_stay(
    tmp_path: Path, path: str, entries: str, make: Call, change: Call
) -> None:
    ctx = tool_context(tmp_path, write_allow=["**"])
    assert (await call_tool(*make, ctx)).ok
    document = json.loads((tmp_path / path).read_text(encoding="utf-8"))
    for place in (document, *document.get(entries, [])):
        place.update(BY_HAND)
    before = json.dumps(document)
    (tmp_path / path).write_text(before, encoding="utf-8")
    assert (await call_tool(*change, ctx)).ok
    written = json.loads((tmp_path / path).read_text(encoding="utf-8"))
    assert json.dumps(written) != before
    for place in (written, *written.get(entries, [])[:1]):
        assert {name: place.get(name) for name in BY_HAND} == BY_HAND
