"""The project's files as resources."""

from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain import project_resources
from devloop_tools.domain.events import Event
from devloop_tools.domain.memories import Kind
from devloop_tools.domain.project_resources import (
    find_resource,
    list_resources,
    memory_ids,
    uris_of,
)
from devloop_tools.toolkit.testing import recorded_events, tool_context

AGENTS = ("pm", "测试员")


def event(kind: str, agent: str = "pm", **data: Any) -> Event:
    return Event(1, kind, "2026-11-30T00:00:00Z", "项目", agent, None, None, None, data)


@pytest.mark.parametrize(
    ("happened", "uris"),
    [
        (event("timeline.appended"), ["devloop://timeline"]),
        (event("agent.todolist"), ["devloop://todo/pm"]),
        (event("agent.todo_item", "测试员"), ["devloop://todo/%E6%B5%8B%E8%AF%95%E5%91%98"]),
        (event("agent.runtime_state", "a/b"), ["devloop://runtime/a%2Fb"]),
        (event("memory.recorded", id="决定"), ["devloop://memory/pm/%E5%86%B3%E5%AE%9A"]),
        (event("tool.called"), []),
        (event("escalation"), []),
        (event("未来.kind"), []),
    ],
)
def test_an_event_names_what_has_changed(happened: Event, uris: list[str]) -> None:
    assert list(uris_of(happened)) == uris


def test_what_an_event_names_is_what_is_listed(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="测试员")
    ctx.timeline.append("单元.built")
    ctx.runtime_state.patch({"阶段": 1}, None)
    ctx.memories.record("决定 Decision", "用 SQLite", kind=Kind.FACT, tags=[], supersedes=None)
    told = {uri for happened in recorded_events(tmp_path) for uri in uris_of(happened)}
    listed = {found.uri for found in list_resources(ctx.workspace, AGENTS)}
    assert told == listed
    assert len(listed) == 3


@pytest.mark.parametrize(
    "uri",
    [
        "devloop://todo/测试员",
        "devloop://todo/%E6%B5%8B%E8%AF%95%E5%91%98",
        "devloop://todo/%e6%b5%8b%E8%AF%95员",
    ],
)
def test_every_spelling_of_a_uri_names_one_resource(tmp_path: Path, uri: str) -> None:
    found = find_resource(tool_context(tmp_path).workspace, uri, AGENTS)
    assert found is not None
    assert found.uri == "devloop://todo/%E6%B5%8B%E8%AF%95%E5%91%98"
    assert found.read() is None


@pytest.mark.parametrize(
    "uri", ["devloop://todo/coder", "devloop://memory/coder/x", "devloop://memory/pm/a\x00", "x"]
)
def test_what_can_never_be_is_not_found(tmp_path: Path, uri: str) -> None:
    assert find_resource(tool_context(tmp_path).workspace, uri, AGENTS) is None


def test_the_newest_memories_are_listed_and_older_ones_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_resources, "MAX_MEMORIES", 5)
    ctx = tool_context(tmp_path)
    for number in range(8):
        ctx.memories.record(
            f"第 {number}", f"内容 {number}", kind=Kind.FACT, tags=[], supersedes=None
        )
    ids = memory_ids(ctx.workspace, "pm")
    listed = [found.name for found in list_resources(ctx.workspace, AGENTS)]
    assert (len(ids), ids[0], ids[-1]) == (8, "第-7", "第-0")
    assert listed == ids[:5]
    oldest = find_resource(ctx.workspace, f"devloop://memory/pm/{ids[-1]}", AGENTS)
    assert oldest is not None
    assert b"\xe5\x86\x85\xe5\xae\xb9 0" in (oldest.read() or b"")


def test_an_agent_without_memories_has_none(tmp_path: Path) -> None:
    assert memory_ids(tool_context(tmp_path).workspace, "pm") == []
