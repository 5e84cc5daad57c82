"""update_todo_item: where one step stands, what comes next, and how much is finished."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain.outcome import Refused
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.persistence.update_todo_item import update_todo_item
from devloop_tools.tools.persistence.write_todolist import write_todolist

LIST = "agent-state/pm-todo.json"


@pytest.fixture
async def ctx(tmp_path: Path) -> ToolContext:
    """Three steps, of which the second waits for the first and the third for both."""
    context = tool_context(tmp_path)
    items = [
        {"id": "step-001", "description": "问 the customer"},
        {"id": "step-002", "description": "写", "depends_on": ["step-001"]},
        {"id": "step-003", "description": "check", "depends_on": ["step-001", "step-002"]},
    ]
    await call_tool(write_todolist, {"items": items}, context)
    return context


def stored(root: Path) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads((root / LIST).read_bytes())
    return value


async def move(ctx: ToolContext, number: int, status: str, **more: str | None) -> Any:
    arguments = {"id": f"step-{number:03}", "status": status, **more}
    return await call_tool(update_todo_item, arguments, ctx)


async def test_a_step_is_moved_on_and_the_next_one_named(ctx: ToolContext, tmp_path: Path) -> None:
    result = await move(ctx, 1, "done", evidence="notes/访谈.md")
    assert (result.ok, result.current, result.progress_pct) == (True, "step-002", 33)
    assert (result.item.status, result.item.evidence) == ("done", "notes/访谈.md")
    document = stored(tmp_path)
    assert document["items"][0] == result.item.model_dump(mode="json")
    assert (document["current"], document["progress_pct"]) == ("step-002", 33)


@pytest.mark.parametrize(
    ("moves", "current", "percent"),
    [
        ([(1, "todo")], "step-001", 0),
        ([(1, "doing")], "step-001", 0),
        ([(1, "blocked")], None, 0),
        ([(1, "skipped")], "step-002", 33),
        ([(1, "done"), (2, "doing")], "step-002", 33),
        ([(1, "done"), (2, "blocked")], None, 33),
        ([(1, "done"), (2, "skipped")], "step-003", 66),
        ([(1, "done"), (2, "done"), (3, "done")], None, 100),
        ([(1, "skipped"), (2, "skipped"), (3, "skipped")], None, 100),
        ([(1, "done"), (2, "done"), (1, "todo")], "step-001", 33),
        ([(3, "doing")], "step-001", 0),
    ],
)
async def test_the_current_step_is_the_first_open_one_that_can_be_done(
    ctx: ToolContext, moves: list[tuple[int, str]], current: str | None, percent: int
) -> None:
    for number, status in moves:
        result = await move(ctx, number, status)
    assert (result.current, result.progress_pct) == (current, percent)


@pytest.mark.parametrize(
    ("before", "number", "reason"),
    [
        ([], 2, "step-002 can't be done while it depends on step-001 (todo)"),
        ([(1, "blocked")], 2, "step-002 can't be done while it depends on step-001 (blocked)"),
        (
            [(1, "doing")],
            3,
            "step-003 can't be done while it depends on step-001 (doing), step-002 (todo)",
        ),
        ([(1, "done")], 3, "step-003 can't be done while it depends on step-002 (todo)"),
    ],
)
async def test_a_step_is_not_done_while_one_that_it_needs_is_open(
    ctx: ToolContext, tmp_path: Path, before: list[tuple[int, str]], number: int, reason: str
) -> None:
    for earlier, status in before:
        await move(ctx, earlier, status)
    content = (tmp_path / LIST).read_bytes()
    result = await move(ctx, number, "done")
    assert isinstance(result, Refused)
    assert (result.reason, result.hint) == (f"status: {reason}", "Finish or skip these first.")
    assert (tmp_path / LIST).read_bytes() == content


@pytest.mark.parametrize("status", ["todo", "doing", "blocked", "skipped"])
async def test_any_other_status_is_free(ctx: ToolContext, status: str) -> None:
    assert (await move(ctx, 3, status)).item.status == status


async def test_note_and_evidence_stay_until_they_are_replaced(ctx: ToolContext) -> None:
    await move(ctx, 1, "doing", note="等客户", evidence="mail 12")
    kept = await move(ctx, 1, "doing", note=None)
    assert (kept.item.note, kept.item.evidence) == ("等客户", "mail 12")
    replaced = await move(ctx, 1, "done", note="answered")
    assert (replaced.item.note, replaced.item.evidence) == ("answered", "mail 12")
    assert replaced.item.updated_at.endswith("Z")


async def test_the_other_steps_and_the_lists_origin_stay(ctx: ToolContext, tmp_path: Path) -> None:
    before = stored(tmp_path)
    await move(ctx, 1, "done")
    after = stored(tmp_path)
    assert after["items"][1:] == before["items"][1:]
    assert (after["created_at"], after["call_id"]) == (before["created_at"], before["call_id"])


async def test_the_step_is_an_event(ctx: ToolContext, tmp_path: Path) -> None:
    result = await move(ctx, 1, "done")
    [_, event] = recorded_events(tmp_path)
    assert event.type == "agent.todo_item"
    assert event.data == {
        "item": result.item.model_dump(mode="json"), "current": "step-002", "progress_pct": 33
    }  # fmt: skip


async def test_a_refusal_is_no_event(ctx: ToolContext, tmp_path: Path) -> None:
    await move(ctx, 3, "done")
    assert [event.type for event in recorded_events(tmp_path)] == ["agent.todolist"]


async def test_a_step_that_is_not_in_the_list_is_named_with_those_that_are(
    ctx: ToolContext,
) -> None:
    result = await move(ctx, 9, "done")
    assert isinstance(result, Refused)
    assert result.reason == "id: step-009 is not in the todo list"
    assert result.hint == "The list holds step-001, step-002, step-003."


async def test_a_long_list_is_not_spelled_out(ctx: ToolContext) -> None:
    items = [{"id": f"step-{number:03}", "description": "x"} for number in range(1, 41)]
    await call_tool(write_todolist, {"items": items}, ctx)
    result = await move(ctx, 99, "doing")
    assert result.hint == "The list holds step-001 … step-040, 40 items."


async def test_without_a_list_the_model_is_told_to_write_one(tmp_path: Path) -> None:
    result = await move(tool_context(tmp_path), 1, "doing")
    assert result == Refused(
        reason=f"{LIST}: there is no todo list", hint="Call write_todolist first."
    )
    assert not (tmp_path / "agent-state").exists()


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"{", "the file: "),
        (b"[]", "the file: "),
        (b'{"agent": "pm"}', "call_id: Field required"),
        (b'\xff\xfe{"agent"', "the file: "),
    ],
)
async def test_a_list_that_no_tool_wrote_is_named_and_left_alone(
    ctx: ToolContext, tmp_path: Path, content: bytes, fault: str
) -> None:
    (tmp_path / LIST).write_bytes(content)
    result = await move(ctx, 1, "done")
    assert isinstance(result, Refused)
    assert result.reason.startswith(f"{LIST}: not what a tool wrote there: {fault}")
    assert "agent-state/history" in result.hint
    assert (tmp_path / LIST).read_bytes() == content


async def test_a_dependency_that_a_person_took_out_of_the_file_counts_as_open(
    ctx: ToolContext, tmp_path: Path
) -> None:
    document = stored(tmp_path)
    document["items"] = document["items"][1:]
    (tmp_path / LIST).write_bytes(orjson.dumps(document))
    result = await move(ctx, 2, "done")
    assert isinstance(result, Refused)
    assert "depends on step-001 (not in the list)" in result.reason
    assert (await move(ctx, 2, "skipped")).current is None


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"id": "step-１０１", "status": "done"}, "id: \"step-１０１\" has the wrong form"),
        (
            {"id": "step-001", "status": "finished"},
            "status: \"finished\" is not allowed. Allowed: "
            "'todo', 'doing', 'done', 'blocked' or 'skipped'",
        ),
        ({"id": "step-001"}, "status: it is required"),
        ({"id": "step-001", "status": "done", "note": "x" * 4001}, "note: "),
        ({"id": "step-001", "status": "done", "evidence": ["a"]}, "evidence: "),
    ],
)  # fmt: skip
async def test_arguments_that_do_not_fit_are_named(
    ctx: ToolContext, arguments: dict[str, Any], line: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await call_tool(update_todo_item, arguments, ctx)
    assert f"- {line}" in str(caught.value)


async def test_an_empty_list_says_what_to_do(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path)
    await call_tool(write_todolist, {"items": []}, ctx)
    assert (await move(ctx, 1, "done")).hint == (
        "The list is empty; call write_todolist to plan items."
    )
