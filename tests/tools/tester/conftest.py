from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.bug_open import bug_open
from devloop_tools.tools.tester.bug_transition import bug_transition

PLAIN = {
    "title": "POST /todos 空标题 answers 500",
    "severity": "major",
    "expected": "400 与 {code: 'title_empty'}",
    "actual": "500 Internal Server Error",
}

Doing = Callable[..., Coroutine[Any, Any, Any]]


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, agent="tester", unit_id="todo-be")


@pytest.fixture
def opened(ctx: ToolContext) -> Doing:
    """Opens a bug, a plain one but for the fields that are given."""

    async def call(**changes: Any) -> Any:
        return await call_tool(bug_open, PLAIN | changes, ctx)

    return call


@pytest.fixture
def moved(ctx: ToolContext) -> Doing:
    """Moves a bug over the given steps; the result of the last one."""

    async def call(bug: str, *steps: str, **fields: str) -> Any:
        result = None
        for to in steps:
            arguments = {"id": bug, "to": to, "reason": f"因为 {to}", "fields": fields}
            result = await call_tool(bug_transition, arguments, ctx)
        return result

    return call
