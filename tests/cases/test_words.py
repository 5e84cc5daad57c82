"""What the rpc cases say in words that the runner can't judge, each with its case's id."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cases.case import Case, load_cases
from tests.cases.judge import words_left
from tests.cases.run import missing_setup
from tests.processes.server import FIXTURES, serving

from devloop_tools.app import load_tools
from devloop_tools.registry.entries import ToolEntry

TESTS = Path(__file__).resolve().parents[1]
BUILT_IN = [
    entry
    for entry in load_tools(FIXTURES).registry.entries.values()
    if not entry.namespace.startswith("pack:")
]


def test_every_sentence_left_to_a_test_has_one_with_its_id() -> None:
    names = [
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    asked = [
        case.short_id.lower()
        for case in load_cases(Path(__file__).with_name("cases.jsonl"))
        if case.kind == "rpc" and _can_be_set_up(case) and words_left(case)
    ]
    assert [one for one in asked if not any(f"_{one}_" in name for name in names)] == []


def test_h_b01_no_tool_has_a_union_or_a_reference_at_the_root_of_its_input() -> None:
    for entry in load_tools(FIXTURES).registry.entries.values():
        schema = entry.definition.input_schema()
        assert schema["type"] == "object", entry.name
        assert not {"oneOf", "anyOf", "allOf", "$ref", "enum", "not"} & schema.keys(), entry.name


def test_h_b02_a_string_that_is_no_object_neither_crashes_nor_is_stored(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "update_runtime_state", patch="{not json 不是}")
        result = server.reply(1)["result"]
        server.call(2, "update_runtime_state", patch={})
        state = server.reply(2)["result"]["structuredContent"]
    assert result["isError"]
    assert "patch: an object is expected" in result["content"][0]["text"]
    assert "error id" not in result["content"][0]["text"]
    assert (state["version"], state["state"]) == (0, {})


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.name)
def test_h_b07_every_id_in_a_result_is_a_string_by_schema(entry: ToolEntry) -> None:
    schema = entry.definition.output_schema() or {}
    for path, field in _fields(schema):
        name = path.rpartition(".")[2]
        if name == "id" or name.endswith("_id"):
            types = {branch.get("type") for branch in field.get("anyOf", [field])} - {"null"}
            assert types == {"string"}, f"{entry.name}: {path}"


def _can_be_set_up(case: Case) -> bool:
    """Parts and tools that aren't built yet bring the tests of their cases with them."""
    called = re.findall(r'"name":"(\w+)"', " ".join(step.get("line", "") for step in _steps(case)))
    return not missing_setup(case) and set(called) <= load_tools(FIXTURES).registry.entries.keys()


def _steps(case: Case) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = case.input["steps"]
    return steps


def _fields(schema: dict[str, Any], path: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name, field in schema.get("properties", {}).items():
        where = f"{path}.{name}".removeprefix(".")
        found += [(where, field), *_fields(field, where), *_fields(field.get("items", {}), where)]
    return found
