"""What holds for a call of every tool that is found: its own examples are accepted, what comes
back fits what it publishes, and one that says READ changes nothing."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, Field

from devloop_tools.domain.timeline import Level
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolDefinition, ToolInput, tool
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, tool_context

TOOLS = [pytest.param(entry, id=entry.name) for entry in discover("devloop_tools.tools")]
ONE_OF = {"write_chapter": [("markdown", "html"), ("mode", "section_id")]}
"""Fields of which a call with the first gives no other, which a flat schema can't say."""

every_tool = pytest.mark.parametrize("entry", TOOLS)


def example_of(schema: dict[str, Any]) -> Any:
    """A value that a field takes: its own example, or the plainest one."""
    for key in ("examples", "enum"):
        if key in schema:
            return schema[key][0]
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0])
    match schema["type"]:
        case "object":
            required = schema.get("required", [])
            return {name: example_of(schema["properties"][name]) for name in required}
        case "array":
            return [example_of(schema["items"])] * schema.get("minItems", 0)
        case "string":
            return "x" * max(1, schema.get("minLength", 1))
        case "boolean":
            return False
        case _:
            return schema.get("minimum", 1)


def arguments_for(definition: ToolDefinition, *, every_field: bool) -> dict[str, Any]:
    schema = definition.input_schema()
    names = set(schema["properties"] if every_field else schema.get("required", []))
    for first, *others in ONE_OF.get(definition.name, ()):
        names = names - set(others) | {first}
    return {name: example_of(schema["properties"][name]) for name in sorted(names)}


def contents(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below the project with its bytes and the time of its last change."""
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


async def changed_by(definition: ToolDefinition, root: Path) -> set[str]:
    """The files that a call of the tool with its own examples made, changed or removed."""
    before = contents(root)
    for every_field in (False, True):
        arguments = arguments_for(definition, every_field=every_field)
        ctx = tool_context(root, "coder", unit_id="todo-be")
        await call_tool(definition, arguments, ctx)
        ctx.database.close()  # which takes its log's files with it
    return {path for path, _ in contents(root).items() ^ before.items()}


@every_tool
@pytest.mark.parametrize("every_field", [False, True])
async def test_a_tools_own_examples_are_accepted_and_the_result_fits(
    entry: ToolEntry, every_field: bool, tmp_path: Path
) -> None:
    ctx = tool_context(tmp_path, "coder", unit_id="todo-be")
    arguments = arguments_for(entry.definition, every_field=every_field)
    for _ in range(2):
        result = await call_tool(entry.definition, arguments, ctx)
        schema = entry.definition.output_schema()
        if schema is None:
            assert isinstance(result, str | Refused)
            continue
        assert isinstance(result, BaseModel)
        jsonschema.Draft202012Validator(schema).validate(result.model_dump(mode="json"))


@every_tool
async def test_a_tool_that_says_it_only_reads_changes_nothing(
    entry: ToolEntry, tmp_path: Path
) -> None:
    changed = await changed_by(entry.definition, tmp_path)
    if entry.definition.annotations.read_only:
        assert changed == set()


@every_tool
async def test_a_tool_says_which_field_it_does_not_know(entry: ToolEntry, tmp_path: Path) -> None:
    arguments = arguments_for(entry.definition, every_field=False) | {"不认识": 1}
    with pytest.raises(InvalidArguments, match="- 不认识: unknown field"):
        await call_tool(entry.definition, arguments, tool_context(tmp_path))


@every_tool
async def test_a_tool_names_each_required_field_that_is_missing(
    entry: ToolEntry, tmp_path: Path
) -> None:
    required = entry.definition.input_schema().get("required", [])
    for name in required:
        arguments = arguments_for(entry.definition, every_field=True)
        del arguments[name]
        with pytest.raises(InvalidArguments, match=f"- {name}: it is required and was not given"):
            await call_tool(entry.definition, arguments, tool_context(tmp_path))


@every_tool
async def test_null_for_every_optional_field_counts_as_absent(
    entry: ToolEntry, tmp_path: Path
) -> None:
    required = arguments_for(entry.definition, every_field=False)
    nulls = dict.fromkeys(entry.definition.input_schema()["properties"]) | required
    parse = entry.definition.arguments.parse
    assert parse(entry.name, nulls) == parse(entry.name, required)


class LyingInput(ToolInput):
    summary: str = Field(default="", max_length=9, description="What to write, though it is READ.")


@tool(READ)
def lying(args: LyingInput, ctx: ToolContext) -> str:
    """Say that nothing changes, and write."""
    ctx.log(Level.INFO, args.summary)
    return "done"


async def test_a_tool_that_lies_about_reading_is_found_out(tmp_path: Path) -> None:
    assert "timeline.ndjson" in await changed_by(lying, tmp_path)
