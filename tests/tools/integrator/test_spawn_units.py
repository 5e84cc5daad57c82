"""What can be known before anything starts; `tests/processes/test_units.py` runs real units."""

import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext, ToolSandboxError
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.integrator.spawn_units import spawn_units


@pytest.fixture
def unit(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "units/登录").mkdir(parents=True)
    return {"unit_id": "登录", "argv": ["true"]}


async def started(ctx: ToolContext, *units: dict[str, Any]) -> Any:
    return await call_tool(spawn_units, {"action": "start", "units": list(units)}, ctx)


def nothing_was_started(root: Path) -> bool:
    return not (root / ".devloop/units").exists() and list(recorded_events(root)) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cwd": "units/gone"}, "units[0].cwd: there is no folder units/gone."),
        ({"argv": [""]}, "units[0].argv: an empty program"),
        ({"argv": ["a\0b"]}, "units[0].argv: an empty program, or a NUL"),
        ({"env": {"A B": "x"}}, "units[0].env: A B is no name of a variable"),
        ({"env": {"A": "x\0"}}, "units[0].env: A is no name"),
        ({"ready": {}}, "units[0].ready: one of url, tcp and log."),
        ({"ready": {"tcp": "localhost:1", "log": "x"}}, "units[0].ready: one of url, tcp and log."),
        ({"ready": {"url": "http://example.org:80/"}}, "units[0].ready.url: example.org is not"),
        ({"ready": {"tcp": "8.8.8.8:53"}}, "units[0].ready.tcp: 8.8.8.8 is not this machine"),
        (
            {"argv": ["x", "{{port.登录}}"]},
            "units[0].argv[1]:1:1: {{port.登录}}: no port is leased",
        ),
        ({"env": {"K": "{{env.HOME}}"}}, "units[0].env.K:1:1: {{env.HOME}}: HOME is not granted"),
        ({"argv": None}, "units[0].argv: missing"),
    ],
)
async def test_what_can_not_be_started_is_said_before_anything_is(
    ctx: ToolContext, tmp_path: Path, unit: dict[str, Any], change: dict[str, Any], reason: str
) -> None:
    refusal = await started(ctx, unit | change)
    assert not refusal.ok
    assert refusal.reason.startswith(reason)
    assert refusal.hint
    assert nothing_was_started(tmp_path)


async def test_a_folder_outside_the_project_is_refused(
    ctx: ToolContext, unit: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("/tmp")
    for cwd in ("../..", "link", "/tmp", ".devloop"):
        with pytest.raises(ToolSandboxError):
            await started(ctx, unit | {"cwd": cwd})


async def test_who_may_not_write_the_logs_starts_nothing(
    tmp_path: Path, unit: dict[str, Any]
) -> None:
    with pytest.raises(ToolSandboxError, match=r"units/登录/logs/stderr\.log"):
        await started(tool_context(tmp_path, "pm", write_allow=["prd/**"]), unit)


async def test_a_unit_is_named_once(ctx: ToolContext, unit: dict[str, Any]) -> None:
    assert (await started(ctx, unit, unit)).reason == "units: 登录 is named twice."


@pytest.mark.parametrize("action", ["start", "stop", "restart"])
async def test_an_action_needs_units(ctx: ToolContext, action: str) -> None:
    refusal = await call_tool(spawn_units, {"action": action}, ctx)
    assert refusal.reason == f"units: {action} needs at least one."


async def test_the_status_of_a_unit_that_never_ran(ctx: ToolContext) -> None:
    arguments = {"action": "status", "units": [{"unit_id": "登录"}]}
    result = await call_tool(spawn_units, arguments, ctx)
    assert [unit.state for unit in result.units] == ["never_started"]
    assert (await call_tool(spawn_units, {"action": "status"}, ctx)).units == []


async def test_stopping_what_does_not_run_is_no_fault(ctx: ToolContext) -> None:
    result = await call_tool(spawn_units, {"action": "stop", "units": [{"unit_id": "a"}]}, ctx)
    assert result.passed


async def test_a_broken_list_of_units_is_named(
    ctx: ToolContext, unit: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "sdd").mkdir()
    (tmp_path / "sdd/units.json").write_text(json.dumps({"units": [{"title": "no id"}]}))
    assert "sdd/units.json" in (await started(ctx, unit)).reason


async def test_a_record_that_no_keeper_wrote_is_named(
    ctx: ToolContext, unit: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / ".devloop/units").mkdir(parents=True)
    (tmp_path / ".devloop/units/登录.json").write_text("{}")
    assert ".devloop/units/登录.json" in (await started(ctx, unit)).reason


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"action": "kill"}, "action"),
        ({"action": "start", "units": [{"unit_id": "../a"}]}, r"units\[0\].unit_id"),
        ({"action": "start", "units": [{"unit_id": "a", "shell": "x"}]}, r"units\[0\].shell"),
        ({"action": "start", "units": [{"unit_id": "a", "port": 0}]}, r"units\[0\].port"),
        ({"action": "start", "units": [{"unit_id": "a", "argv": []}]}, r"units\[0\].argv"),
        ({"action": "status", "timeout_s": 0}, "timeout_s"),
    ],
)
async def test_odd_arguments_are_named(
    ctx: ToolContext, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArguments, match=f"- {field}: "):
        await call_tool(spawn_units, arguments, ctx)
