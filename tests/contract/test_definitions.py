"""What holds for every tool that is found, also for one whose author has yet to write a test."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from pydantic import Field

from devloop_tools.registry.discovery import discover
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.soundness import faults_in
from devloop_tools.toolkit import READ, FreeObject, ToolContext, ToolInput, tool

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 80
MAX_SCHEMA_BYTES = 3000
"""Of input and output schema each: every byte stands in every session's context."""

TOOLS = [pytest.param(entry, id=entry.name) for entry in discover("devloop_tools.tools")]
every_tool = pytest.mark.parametrize("entry", TOOLS)


def source_of(entry: ToolEntry) -> Path:
    return Path(inspect.getfile(import_module(entry.source)))


def unbounded(schema: dict[str, Any], place: str = "") -> Iterator[str]:
    """Places whose values may be of any size."""
    kind = schema.get("type")
    if {"enum", "const", "$ref"} & set(schema) or kind in ("boolean", "null"):
        return
    for branch in schema.get("anyOf", []):
        yield from unbounded(branch, place)
    bounds = {
        "string": {"maxLength", "pattern", "format"},
        "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
        "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
        "array": {"maxItems"},
        "object": {"maxProperties", "properties"},
    }
    if "anyOf" not in schema and not bounds.get(str(kind), set()) & set(schema):
        yield place
    if isinstance(items := schema.get("items"), dict):
        yield from unbounded(items, f"{place}[]")
    for name, field in schema.get("properties", {}).items():
        yield from unbounded(field, f"{place}.{name}")
    if isinstance(values := schema.get("additionalProperties"), dict):
        yield from unbounded(values, f"{place}.*")


def undescribed(schema: dict[str, Any], place: str = "") -> Iterator[str]:
    """Fields that don't say what they are."""
    for name, field in schema.get("properties", {}).items():
        if not 0 < len(field.get("description", "")) <= 300:
            yield f"{place}.{name}"
        yield from undescribed(field, f"{place}.{name}")
        yield from undescribed(field.get("items", {}), f"{place}.{name}[]")


def test_there_are_tools() -> None:
    assert len(TOOLS) >= 5


@every_tool
def test_file_function_and_tool_have_one_name(entry: ToolEntry) -> None:
    assert entry.source.split(".")[-1] == entry.name
    assert entry.definition.execute.__name__ == entry.name
    assert entry.source.split(".")[-2] == entry.namespace


def test_a_file_holds_one_tool() -> None:
    sources = [entry.source for entry in discover("devloop_tools.tools")]
    assert len(sources) == len(set(sources))
    modules = {
        path.relative_to(ROOT / "src").with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "src/devloop_tools/tools").rglob("*.py")
        if path.name != "__init__.py"
    }
    assert set(sources) == modules


@every_tool
def test_a_name_is_words_joined_by_underscores(entry: ToolEntry) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", entry.name)


@every_tool
def test_a_tools_file_is_short_and_has_a_test_that_mirrors_it(entry: ToolEntry) -> None:
    path = source_of(entry)
    assert len(path.read_text(encoding="utf-8").splitlines()) < MAX_LINES
    assert (ROOT / "tests/tools" / entry.namespace / f"test_{entry.name}.py").is_file()


@every_tool
def test_every_field_says_what_it_is(entry: ToolEntry) -> None:
    assert list(undescribed(entry.definition.input_schema())) == []


@every_tool
def test_every_field_has_a_bound(entry: ToolEntry) -> None:
    assert list(unbounded(entry.definition.input_schema())) == []


@every_tool
def test_clients_can_use_the_definition(entry: ToolEntry) -> None:
    assert list(faults_in(entry.definition)) == []


@every_tool
def test_schemas_are_json_schema_2020_12_and_small(entry: ToolEntry) -> None:
    for schema in (entry.definition.input_schema(), entry.definition.output_schema()):
        if schema is not None:
            jsonschema.Draft202012Validator.check_schema(schema)
            assert len(orjson.dumps(schema)) <= MAX_SCHEMA_BYTES


@every_tool
def test_a_result_is_one_flat_object_in_which_only_ok_is_required(entry: ToolEntry) -> None:
    schema = entry.definition.output_schema()
    if schema is None:
        assert entry.definition.result is str
        return
    assert schema["required"] == ["ok"]
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(schema)


@every_tool
def test_examples_fit_the_fields_that_they_explain(entry: ToolEntry) -> None:
    for name, field in entry.definition.input_schema()["properties"].items():
        for example in field.get("examples", []):
            errors = list(jsonschema.Draft202012Validator(field).iter_errors(example))
            assert errors == [], name


@every_tool
def test_annotations_do_not_contradict_themselves_or_the_name(entry: ToolEntry) -> None:
    annotations = entry.definition.annotations
    if annotations.read_only:
        assert not annotations.destructive
        assert annotations.idempotent
    verb = set(entry.name.split("_"))
    changing = {"write", "update", "record", "append", "bootstrap", "archive", "spawn", "open"}
    assert not (annotations.read_only and verb & changing)


class Careless(ToolInput):
    text: str
    number: int
    items: list[str] = Field(max_length=3)
    anything: dict[str, Any] | None = None
    fine: FreeObject = Field(default_factory=dict, description="This one is as it should be.")


@tool(READ)
def careless(args: Careless, ctx: ToolContext) -> str:
    """Show that the checks of this module find something."""
    return ""


def test_the_checks_find_what_is_missing() -> None:
    schema = careless.input_schema()
    assert list(unbounded(schema)) == [".text", ".number", ".items[]", ".anything"]
    assert list(undescribed(schema)) == [".text", ".number", ".items", ".anything"]
