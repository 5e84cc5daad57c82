"""update_runtime_state: one JSON object an agent, changed by merge patches, with a version."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain.outcome import Refused
from devloop_tools.domain.runtime_state import RuntimeStateUpdated, VersionConflict
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.persistence.update_runtime_state import update_runtime_state

STATE = "agent-state/pm-runtime.json"


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path)


async def patch(ctx: ToolContext, change: Any, **more: Any) -> Any:
    return await call_tool(update_runtime_state, {"patch": change, **more}, ctx)


async def test_the_first_patch_makes_version_one(ctx: ToolContext, tmp_path: Path) -> None:
    result = await patch(ctx, {"phase": "写作", "chapter": {"id": 3}})
    assert result == RuntimeStateUpdated(
        version=1, state={"phase": "写作", "chapter": {"id": 3}}, path=STATE
    )
    document = orjson.loads((tmp_path / STATE).read_bytes())
    assert document.pop("updated_at").endswith("Z")
    assert document == {
        "agent": "pm",
        "call_id": "call-test",
        "version": 1,
        "state": {"phase": "写作", "chapter": {"id": 3}},
    }


async def test_a_byte_order_mark_that_an_editor_left_does_no_harm(
    ctx: ToolContext, tmp_path: Path
) -> None:
    await patch(ctx, {"a": "值"})
    file = tmp_path / STATE
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert (await patch(ctx, {"b": 1})).state == {"a": "值", "b": 1}


async def test_patches_change_what_they_name_and_leave_the_rest(ctx: ToolContext) -> None:
    await patch(ctx, {"a": 1, "b": {"c": 2, "d": 3}, "e": [1, 2]})
    result = await patch(ctx, {"a": None, "b": {"c": None, "新": "值"}, "e": [3]})
    assert (result.version, result.state) == (2, {"b": {"d": 3, "新": "值"}, "e": [3]})


async def test_a_state_that_comes_as_a_json_string_is_taken(ctx: ToolContext) -> None:
    assert (await patch(ctx, '{"phase": "测试"}')).state == {"phase": "测试"}


async def test_an_empty_patch_reads_and_writes_nothing(ctx: ToolContext, tmp_path: Path) -> None:
    empty = await patch(ctx, {})
    assert (empty.version, empty.state, empty.path) == (0, {}, STATE)
    await patch(ctx, {"a": 1})
    before = (tmp_path / STATE).read_bytes()
    assert (await patch(ctx, {})).version == 1
    assert (tmp_path / STATE).read_bytes() == before
    assert len(recorded_events(tmp_path)) == 1


async def test_the_expected_version_lets_the_patch_through(ctx: ToolContext) -> None:
    assert (await patch(ctx, {"a": 1}, expected_version=0)).version == 1
    assert (await patch(ctx, {"a": 2}, expected_version=1)).version == 2


@pytest.mark.parametrize("expected", [0, 2, 99])
@pytest.mark.parametrize("change", [{"a": 2}, {}])
async def test_another_version_is_a_conflict_that_carries_the_present_state(
    ctx: ToolContext, tmp_path: Path, expected: int, change: dict[str, Any]
) -> None:
    await patch(ctx, {"a": 1, "名": "x"})
    before = (tmp_path / STATE).read_bytes()
    result = await patch(ctx, change, expected_version=expected)
    assert isinstance(result, VersionConflict)
    assert (result.ok, result.version, result.state) == (False, 1, {"a": 1, "名": "x"})
    assert result.reason == f"expected_version: {expected} was given, it is 1"
    assert (tmp_path / STATE).read_bytes() == before


async def test_a_conflict_over_a_state_that_is_not_there_says_version_zero(
    ctx: ToolContext, tmp_path: Path
) -> None:
    result = await patch(ctx, {"a": 1}, expected_version=3)
    assert (result.version, result.state) == (0, {})
    assert not (tmp_path / STATE).exists()


async def test_the_patch_is_an_event(ctx: ToolContext, tmp_path: Path) -> None:
    await patch(ctx, {"a": {"b": None}})
    [event] = recorded_events(tmp_path)
    assert event.type == "agent.runtime_state"
    assert event.data == {"version": 1, "patch": {"a": {"b": None}}}


async def test_each_agent_has_a_state_of_its_own(ctx: ToolContext, tmp_path: Path) -> None:
    await patch(ctx, {"a": 1})
    other = await patch(tool_context(tmp_path, "tester"), {"b": 2})
    assert (other.version, other.path) == (1, "agent-state/tester-runtime.json")


async def test_a_state_has_a_largest_size_in_bytes(ctx: ToolContext, tmp_path: Path) -> None:
    text = "状" * 200_000
    await patch(ctx, {"a": text})
    before = (tmp_path / STATE).read_bytes()
    result = await patch(ctx, {"b": text})
    assert isinstance(result, Refused)
    assert "bytes; 1048576 are allowed" in result.reason
    assert (tmp_path / STATE).read_bytes() == before


async def test_numbers_keep_their_value(ctx: ToolContext, tmp_path: Path) -> None:
    state = {"big": 2**63, "small": -(2**63), "pi": 3.141592653589793, "zero": 0, "no": False}
    await patch(ctx, state)
    assert orjson.loads((tmp_path / STATE).read_bytes())["state"] == state


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"version": "x"'])
async def test_a_state_that_no_tool_wrote_is_named_and_left_alone(
    ctx: ToolContext, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "agent-state").mkdir()
    (tmp_path / STATE).write_bytes(content)
    result = await patch(ctx, {"a": 1})
    assert isinstance(result, Refused)
    assert result.reason.startswith(f"{STATE}: not what a tool wrote there: ")
    assert (tmp_path / STATE).read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({}, "patch: it is required"),
        ({"patch": None}, "patch: null was given; it needs a value."),
        ({"patch": [1]}, "patch: an object is expected, not [1]."),
        ({"patch": "phase"}, 'patch: an object is expected, not "phase".'),
        ({"patch": {"a": "\ud800"}}, "patch: a holds a lone surrogate"),
        ({"patch": {"a": float("inf")}}, "patch: a is not a finite number"),
        ({"patch": {}, "expected_version": -1}, "expected_version: "),
        ({"patch": {}, "version": 1}, "version: unknown field (did you mean expected_version?)"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    ctx: ToolContext, arguments: dict[str, Any], line: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await call_tool(update_runtime_state, arguments, ctx)
    assert f"- {line}" in str(caught.value)


async def test_a_patch_nested_too_deeply_never_spoils_the_state(ctx: ToolContext) -> None:
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"下": deep}
    with pytest.raises(InvalidArguments, match="patch: Nested deeper than 32 levels"):
        await patch(ctx, deep)
    assert (await patch(ctx, {"a": 1})).version == 1
