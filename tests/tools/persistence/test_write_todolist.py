"""write_todolist: a plan whose steps depend on each other, replaced as a whole."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain import todos
from devloop_tools.domain.outcome import Refused
from devloop_tools.domain.todos import MAX_ITEMS, TodoListWritten
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.persistence.write_todolist import write_todolist

LIST = "agent-state/pm-todo.json"


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path)


def step(number: int, *needs: int, description: str = "写 a chapter") -> dict[str, Any]:
    item: dict[str, Any] = {"id": f"step-{number:03}", "description": description}
    return item | ({"depends_on": [f"step-{need:03}" for need in needs]} if needs else {})


def stored(root: Path) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads((root / LIST).read_bytes())
    return value


def history(root: Path) -> list[Path]:
    return sorted((root / "agent-state" / "history").glob("*"))


def made_in(root: Path) -> list[Path]:
    return list(root.iterdir())


async def refusal(ctx: ToolContext, items: list[dict[str, Any]]) -> str:
    result = await call_tool(write_todolist, {"items": items}, ctx)
    assert isinstance(result, Refused)
    assert result.hint
    return result.reason


async def test_the_list_is_written_with_every_step_open(ctx: ToolContext, tmp_path: Path) -> None:
    items = [step(1), step(2, 1)]
    result = await call_tool(write_todolist, {"items": items}, ctx)
    assert result == TodoListWritten(total=2, path=LIST)
    document = stored(tmp_path)
    created_at = document.pop("created_at")
    assert len(created_at) == len("2026-01-01T00:00:00.000Z")
    assert created_at.endswith("Z")
    fresh = {"status": "todo", "note": None, "evidence": None, "updated_at": None}
    assert document == {
        "agent": "pm",
        "call_id": "call-test",
        "items": [{"depends_on": [], **items[0], **fresh}, {**items[1], **fresh}],
        "current": "step-001",
        "progress_pct": 0,
    }


async def test_the_current_step_is_the_first_one(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(write_todolist, {"items": [step(7), step(3)]}, ctx)
    assert stored(tmp_path)["current"] == "step-007"


async def test_an_empty_list_has_no_current_step(ctx: ToolContext, tmp_path: Path) -> None:
    result = await call_tool(write_todolist, {"items": []}, ctx)
    assert result.total == 0
    assert (stored(tmp_path)["items"], stored(tmp_path)["current"]) == ([], None)


async def test_text_is_written_readably_in_utf8(ctx: ToolContext, tmp_path: Path) -> None:
    description = "为“登录”写 tests 😀 — O'Brien & co"
    await call_tool(write_todolist, {"items": [step(1, description=description)]}, ctx)
    content = (tmp_path / LIST).read_bytes()
    assert description.encode() in content
    assert content.endswith(b"}\n")


async def test_the_list_before_is_kept_byte_for_byte(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(write_todolist, {"items": [step(1)]}, ctx)
    first = (tmp_path / LIST).read_bytes()
    await call_tool(write_todolist, {"items": [step(2)]}, ctx)
    second = (tmp_path / LIST).read_bytes()
    await call_tool(write_todolist, {"items": [step(3)]}, ctx)
    assert [path.read_bytes() for path in history(tmp_path)] == [first, second]
    assert all(path.name.startswith("pm-todo-2") for path in history(tmp_path))


@pytest.mark.parametrize("content", [b"not json", b"", b'{"agent": "pm"}', b"\xff\x00"])
async def test_a_list_that_a_person_broke_is_kept_and_replaced(
    ctx: ToolContext, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "agent-state").mkdir()
    (tmp_path / LIST).write_bytes(content)
    await call_tool(write_todolist, {"items": [step(1)]}, ctx)
    assert [path.read_bytes() for path in history(tmp_path)] == [content]
    assert stored(tmp_path)["current"] == "step-001"


async def test_lists_of_one_moment_do_not_overwrite_each_other(
    ctx: ToolContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todos, "timestamp", lambda: "2026-01-01T00:00:00.000Z")
    for number in range(1, 5):
        await call_tool(write_todolist, {"items": [step(number)]}, ctx)
    assert [path.name for path in history(tmp_path)] == [
        "pm-todo-20260101T000000000Z-2.json",
        "pm-todo-20260101T000000000Z-3.json",
        "pm-todo-20260101T000000000Z.json",
    ]


async def test_each_agent_has_a_list_of_its_own(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(write_todolist, {"items": [step(1)]}, ctx)
    await call_tool(write_todolist, {"items": [step(2)]}, tool_context(tmp_path, "architect"))
    assert stored(tmp_path)["current"] == "step-001"
    assert (tmp_path / "agent-state" / "architect-todo.json").exists()
    assert history(tmp_path) == []


async def test_the_list_is_an_event(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(write_todolist, {"items": [step(1)]}, ctx)
    [event] = recorded_events(tmp_path)
    assert (event.type, event.agent, event.call_id) == ("agent.todolist", "pm", "call-test")
    assert event.data["items"] == stored(tmp_path)["items"]


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([step(1), step(2), step(1)], "items: the id step-001 stands more than once"),
        (
            [step(2), step(1), step(2), step(1)],
            "items: the id step-001, step-002 stands more than once",
        ),
        ([step(1, 9)], "items: depends_on names step-009, which is not in the list"),
        (
            [step(1, 8, 9), step(2, 1, 7)],
            "items: depends_on names step-007, step-008, step-009, which is not in the list",
        ),
    ],
)
async def test_ids_that_do_not_fit_together_are_named(
    ctx: ToolContext, tmp_path: Path, items: list[dict[str, Any]], reason: str
) -> None:
    assert await refusal(ctx, items) == reason
    assert made_in(tmp_path) == []


@pytest.mark.parametrize(
    ("items", "members"),
    [
        ([step(1, 1)], {"step-001"}),
        ([step(1, 2), step(2, 1)], {"step-001", "step-002"}),
        ([step(1), step(2, 4), step(3, 2), step(4, 3)], {"step-002", "step-003", "step-004"}),
    ],
)
async def test_a_circle_is_refused_with_its_members(
    ctx: ToolContext, tmp_path: Path, items: list[dict[str, Any]], members: set[str]
) -> None:
    head, _, circle = (await refusal(ctx, items)).rpartition(": ")
    assert head == "items: depends_on goes in a circle"
    steps = circle.split(" → ")
    assert steps[0] == steps[-1]
    assert set(steps) == members
    assert made_in(tmp_path) == []


async def test_a_refused_list_leaves_the_one_before(ctx: ToolContext, tmp_path: Path) -> None:
    await call_tool(write_todolist, {"items": [step(1)]}, ctx)
    before = (tmp_path / LIST).read_bytes()
    await refusal(ctx, [step(1, 1)])
    assert (tmp_path / LIST).read_bytes() == before
    assert history(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["step-1", "step-0001", "step-01a", "Step-001", "step_001", "step-１２３", "step-٠٠١",
     "step-००१", "step-001\n", " step-001", "step-²³¹", "", "step-"],
)  # fmt: skip
async def test_an_id_has_three_ascii_digits(ctx: ToolContext, name: str) -> None:
    with pytest.raises(InvalidArguments, match=r"items\[0\].id: .* has the wrong form"):
        await call_tool(write_todolist, {"items": [{"id": name, "description": "x"}]}, ctx)
    with pytest.raises(InvalidArguments, match=r"items\[0\].depends_on\[0\]: .* wrong form"):
        await call_tool(write_todolist, {"items": [step(1) | {"depends_on": [name]}]}, ctx)


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"description": ""}, r"items\[0\]\.description"),
        ({"description": "长" * 2001}, r"items\[0\]\.description"),
        ({"description": None}, r"items\[0\]\.description"),
        ({"status": "done"}, r"items\[0\]\.status: unknown field"),
        ({"dependsOn": []}, r"items\[0\]\.dependsOn: .*did you mean depends_on"),
        ({"depends_on": ["step-001"] * 51}, r"items\[0\]\.depends_on"),
    ],
)
async def test_a_step_that_does_not_fit_is_named(
    ctx: ToolContext, item: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArguments, match=field):
        await call_tool(write_todolist, {"items": [step(1) | item]}, ctx)


async def test_a_list_has_a_longest_length(ctx: ToolContext) -> None:
    chain = [step(number, *([number - 1] if number > 1 else [])) for number in range(1, 501)]
    assert (await call_tool(write_todolist, {"items": chain}, ctx)).total == MAX_ITEMS
    with pytest.raises(InvalidArguments, match=r"items: .*at most 500 items"):
        await call_tool(write_todolist, {"items": [*chain, step(501)]}, ctx)
