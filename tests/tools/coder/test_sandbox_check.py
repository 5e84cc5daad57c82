from pathlib import Path
from typing import Any

import pytest

from devloop_tools.registry.policy import build_policy
from devloop_tools.server.native_calls import Grounds, rule_on_call
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.coder.sandbox_check import sandbox_check

PATHS = [
    "units/待办/src/app.py",
    "units/待办/新 file.ts",
    "./units/待办/../待办/a",
    "units/other/src/app.py",
    "units/待办/../../outside",
    "/etc/passwd",
    "prd/index.html",
    ".env",
    "units/待办/.ENV.local",
    ".git/config",
    ".devloop/state.db",
    ".devloop/results/call.json",
    "timeline.ndjson",
    "agent-state/coder-todo.json",
    "memory/devloop/coder/index.json",
    "link/inside",
    "",
    "~/x",
    "a\\b",
    "units/待办/bad\u0000name",
    "长" * 300,
]


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    allowed = ["units/待办/**", "timeline.ndjson", "agent-state/**", "memory/devloop/coder/**"]
    return tool_context(tmp_path, "coder", unit_id="待办", write_allow=allowed)


def below(root: Path) -> set[Path]:
    return set(root.rglob("*"))


async def check(ctx: ToolContext, operation: str, *paths: str) -> Any:
    return await call_tool(sandbox_check, {"paths": list(paths), "operation": operation}, ctx)


@pytest.mark.parametrize(("operation", "native"), [("write", "Write"), ("read", "Read")])
async def test_the_verdict_is_the_one_that_the_hook_gives(
    operation: str, native: str, ctx: ToolContext
) -> None:
    result = await check(ctx, operation, *PATHS)

    policy = build_policy("coder", [native], ())
    grounds = Grounds(policy, ctx.workspace.root, ctx.workspace.sandbox)
    rulings = [rule_on_call(grounds, native, {"file_path": path}) for path in PATHS]
    assert [each.path for each in result.paths] == PATHS
    assert [each.allowed for each in result.paths] == [not ruling.refused for ruling in rulings]
    assert {each.allowed for each in result.paths} == {True, False}
    for each, ruling in zip(result.paths, rulings, strict=True):
        assert each.allowed == (each.reason == "")
        assert each.allowed or (each.rule == ruling.trace["rule"] and each.reason in ruling.reason)


async def test_each_verdict_names_place_rule_and_reason(ctx: ToolContext) -> None:
    result = await check(ctx, "write", "units/待办/./a.py", "timeline.ndjson", ".env")

    fine, owned, closed = result.paths
    assert (fine.allowed, fine.resolved, fine.rule) == (
        True, "units/待办/a.py", "allow units/待办/**",
    )  # fmt: skip
    assert "timeline_append" in owned.reason
    assert (closed.allowed, closed.rule) == (False, "deny .env*")
    assert result.allowed is False


async def test_all_allowed_is_said_at_once(ctx: ToolContext) -> None:
    assert (await check(ctx, "write", "units/待办/a", "units/待办/b")).allowed is True


async def test_asking_changes_nothing(ctx: ToolContext, tmp_path: Path) -> None:
    before = below(tmp_path)
    await check(ctx, "write", "units/待办/new/a.py")

    assert below(tmp_path) == before
    assert recorded_events(tmp_path) == []


@pytest.mark.parametrize(
    "wrong", [{"paths": [], "operation": "read"}, {"paths": ["a"], "operation": "delete"}]
)
async def test_wrong_arguments_are_named(wrong: dict[str, Any], ctx: ToolContext) -> None:
    with pytest.raises(InvalidArguments):
        await call_tool(sandbox_check, wrong, ctx)
