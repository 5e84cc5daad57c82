"""What a tool gets besides its arguments, and what its author tests it with."""

from pathlib import Path

import orjson
import pytest
from pydantic import Field

from devloop_tools.domain.outcome import Refused
from devloop_tools.domain.timeline import Level
from devloop_tools.storage.errors import LockTimeout
from devloop_tools.toolkit import (
    READ,
    Done,
    ToolContext,
    ToolInput,
    ToolSandboxError,
    ToolValidationError,
    tool,
)
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context


class SayInput(ToolInput):
    text: str = Field(default="", max_length=20, description="What to say.")


class Said(Done):
    text: str
    unit_id: str | None


@tool(READ)
async def say(args: SayInput, ctx: ToolContext) -> Said:
    """Say it."""
    ctx.progress.report(1, 2, "半")
    return Said(text=args.text, unit_id=ctx.unit_id)


@tool(READ)
def wait_in_vain(args: SayInput, ctx: ToolContext) -> Said:
    """Never get the lock."""
    raise LockTimeout("timeline.ndjson: held.", "Try again.")


@tool(READ)
def complain(args: SayInput, ctx: ToolContext) -> Said:
    """Find fault with an argument."""
    raise ToolValidationError("text", "no such chapter.", "login, 登录")


def test_a_context_knows_who_acts(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="coder", unit_id="todo-be")
    assert (ctx.agent, ctx.unit_id, ctx.project_id) == ("coder", "todo-be", "test-project")
    assert (ctx.call_id, ctx.session_id) == ("call-test", "session-test")
    assert ctx.workspace.unit_folder == "units/todo-be"


def test_a_context_for_no_unit_has_no_unit_folder(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path)
    assert (ctx.agent, ctx.unit_id, ctx.workspace.unit_folder) == ("pm", None, None)


async def test_an_async_tool_is_called_like_a_plain_one(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="tester", unit_id="单元")
    assert await call_tool(say, {"text": "登录 ok"}, ctx) == Said(text="登录 ok", unit_id="单元")


async def test_arguments_pass_the_same_parsing_as_a_clients(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path)
    assert await call_tool(say, {"text": None}, ctx) == Said(text="", unit_id=None)
    with pytest.raises(InvalidArguments, match="did you mean text"):
        await call_tool(say, {"txt": "x"}, ctx)


async def test_an_expected_failure_of_a_store_comes_back_as_a_refusal(tmp_path: Path) -> None:
    result = await call_tool(wait_in_vain, {}, tool_context(tmp_path))
    assert result == Refused(reason="timeline.ndjson: held.", hint="Try again.")


async def test_what_a_tool_raises_about_its_arguments_reaches_the_test(tmp_path: Path) -> None:
    with pytest.raises(ToolValidationError) as caught:
        await call_tool(complain, {}, tool_context(tmp_path))
    assert str(caught.value) == "text: no such chapter. Allowed: login, 登录"
    assert (caught.value.field, caught.value.allowed) == ("text", "login, 登录")


def test_a_log_is_a_short_timeline_entry(tmp_path: Path) -> None:
    tool_context(tmp_path).log(Level.WARN, "磁盘 almost full")
    [line] = (tmp_path / "timeline.ndjson").read_bytes().splitlines()
    entry = orjson.loads(line)
    assert (entry["event"], entry["level"], entry["summary"]) == ("log", "warn", "磁盘 almost full")


def test_a_context_writes_only_what_its_agent_may(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, write_allow=("prd/**",))
    with pytest.raises(ToolSandboxError, match=r"timeline\.ndjson: pm may write prd/\*\*"):
        ctx.log(Level.INFO, "x")
    assert list(tmp_path.iterdir()) == []


def test_events_can_be_read_back(tmp_path: Path) -> None:
    assert recorded_events(tmp_path) == []
    tool_context(tmp_path, agent="architect").log(Level.INFO, "开始")
    [event] = recorded_events(tmp_path)
    assert (event.type, event.agent, event.data["summary"]) == (
        "timeline.appended", "architect", "开始"
    )  # fmt: skip
