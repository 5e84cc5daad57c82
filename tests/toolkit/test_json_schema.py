"""Arguments that a JSON Schema describes: a host's tools, which have no model of ours."""

import time
from typing import Any

import pytest

from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.json_schema import SchemaArguments, schema_fault

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "tree": {"$ref": "#/$defs/Node"},
        "说明": {"type": "string"},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}}}},
}
ARGUMENTS = SchemaArguments(SCHEMA)


def refusal(arguments: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidArguments) as caught:
        ARGUMENTS.parse("host_tool", arguments)
    assert str(caught.value).startswith("Invalid arguments for host_tool:\n- ")
    return [problem.field for problem in caught.value.problems]


def test_arguments_that_fit_come_back_as_they_came() -> None:
    arguments = {"title": "登录", "tags": ["a", "中"], "tree": {"child": {"child": {}}}}
    assert ARGUMENTS.parse("host_tool", arguments) is arguments


def test_the_schema_is_published_as_it_was_given() -> None:
    assert ARGUMENTS.schema() is SCHEMA


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ({}, ["arguments"]),
        ({"title": ""}, ["title"]),
        ({"title": "a", "说明": 3}, ["说明"]),
        ({"title": "a", "tags": ["b", 3]}, ["tags[1]"]),
        ({"title": "a", "titel": "b"}, ["arguments"]),
        ({"title": 1, "tags": "x", "tree": {"child": 2}}, ["tags", "title", "tree.child"]),
    ],
)
def test_each_fault_names_its_place(arguments: dict[str, Any], fields: list[str]) -> None:
    assert refusal(arguments) == fields


def test_ten_faults_are_named_and_the_others_counted() -> None:
    with pytest.raises(InvalidArguments, match=r"- and 2 more$") as caught:
        ARGUMENTS.parse("host_tool", {"title": "a", "tags": list(range(12))})
    assert len(caught.value.problems) == 10


def test_a_long_value_is_not_repeated_whole() -> None:
    with pytest.raises(InvalidArguments) as caught:
        ARGUMENTS.parse("host_tool", {"title": ["x" * 10_000]})
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (SCHEMA, None),
        ({"type": "object"}, None),
        ({}, 'the schema\'s root must have type "object"'),
        ({"type": "string"}, 'the schema\'s root must have type "object"'),
        ({"type": "object", "allOf": [{"anyOf": [{"required": ["登录"]}]}]}, None),
        (
            {"type": "object", "not": {}, "enum": [{}]},
            "the schema's root must be a plain object, without enum, not",
        ),
        (
            {"type": "object", "$ref": "#/$defs/A", "$defs": {"A": {}}},
            "the schema's root must be a plain object, without $ref",
        ),
        (
            {"type": "object", "properties": {"登录": {"type": "text"}}},
            "the schema is invalid at properties.登录.type: "
            "'text' is not valid under any of the given schemas",
        ),
        (
            {"type": "object", "additionalProperties": {"$ref": "https://example.com/a.json"}},
            "the schema refers to https://example.com/a.json, which is not inside it",
        ),
        (
            {"type": "object", "properties": {"a": {"items": {"$ref": "#/$defs/None"}}}},
            "the schema refers to #/$defs/None, which is not inside it",
        ),
    ],
)
def test_a_schema_that_clients_would_choke_on_is_refused(
    schema: dict[str, Any], fault: str | None
) -> None:
    assert schema_fault(schema) == fault


def test_a_pattern_never_holds_the_server() -> None:
    before = time.monotonic()
    schema = {"type": "object", "properties": {"名": {"pattern": "^(a+)+$"}}}
    with pytest.raises(InvalidArguments, match="does not match"):
        SchemaArguments(schema).parse("host_tool", {"名": "a" * 60 + "!"})
    assert time.monotonic() - before < 1


def test_a_pattern_that_the_host_alone_can_judge_is_left_to_it() -> None:
    schema = {"type": "object", "properties": {"mail": {"pattern": r"^(?!\.)\S+@\S+$"}}}
    arguments = {"mail": "a@b"}
    assert SchemaArguments(schema).parse("host_tool", arguments) is arguments
