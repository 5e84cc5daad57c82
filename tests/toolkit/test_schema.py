"""What goes out as inputSchema and outputSchema: flat, small, without references to resolve."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal, Union

import jsonschema
import orjson
import pytest
from pydantic import BaseModel, Field, RootModel

from devloop_tools.domain.todos import Status, TodoItem, TodoItemUpdated
from devloop_tools.toolkit import Done, Refused, ToolInput
from devloop_tools.toolkit.schema import (
    Schema,
    declares_schema,
    flat_root,
    input_schema,
    output_schema,
)


class Color(StrEnum):
    """Its docstring is for colleagues."""

    RED = "red"
    BLUE = "blue"


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    title: str


class Node(BaseModel):
    name: str
    children: list["Node"] = Field(default_factory=list)


class Inner(BaseModel):
    """For colleagues too."""

    title: str = Field(description="The title.")
    color: Color | None = None


class EverythingInput(ToolInput):
    title: str = Field(description="A field that is named like a keyword.")
    properties: dict[str, int] = Field(default_factory=dict, description="So is this one.")
    color: Color | None = Field(default=None, description="An optional choice.")
    inner: Inner | None = Field(default=None, description="An optional object.")
    twice: list[Inner] = Field(default_factory=list, description="The same object again.")
    size: int | str | None = Field(default=None, description="One of two.")
    maybe: int | None = Field(description="Null means something here.")
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    sample: dict[str, Any] = Field(
        default={"title": "默认"},
        description="Its example holds names of keywords.",
        examples=[{"title": "登录", "$ref": "#/none", "anyOf": [1]}],
    )


class TreeInput(ToolInput):
    tree: Node = Field(description="Holds itself.")


class Found(Done):
    value: int
    at: date | None = None


class FoundText(Done):
    value: str
    note: str | None = None


class Grown(Done):
    root: Node


class Plain(BaseModel):
    value: int


class Words(RootModel[list[str]]):
    """No object."""


def keywords(schema: Any) -> set[str]:
    """Every keyword that stands anywhere in the schema, names of fields and data left out."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found |= set().union(*map(keywords, value.values())) if value else set()
        elif key not in ("examples", "default", "enum", "const", "required"):
            found |= keywords(value)
    return found


EVERYTHING = input_schema(EverythingInput)


def test_the_root_is_one_plain_object_that_takes_nothing_unknown() -> None:
    assert EVERYTHING["type"] == "object"
    assert EVERYTHING["additionalProperties"] is False
    assert EVERYTHING["required"] == ["title", "maybe"]


def test_references_titles_and_discriminators_are_gone() -> None:
    assert not keywords(EVERYTHING) & {"$ref", "$defs", "title", "discriminator"}


def test_docstrings_of_models_and_choices_stay_with_colleagues() -> None:
    assert b"colleagues" not in orjson.dumps(EVERYTHING)


def test_fields_may_be_named_like_keywords() -> None:
    assert EVERYTHING["properties"]["title"]["type"] == "string"
    assert EVERYTHING["properties"]["properties"]["type"] == "object"
    assert EVERYTHING["properties"]["inner"]["properties"]["title"] == {
        "description": "The title.",
        "type": "string",
    }


def test_examples_and_defaults_are_data_and_stay_as_they_are() -> None:
    sample = EVERYTHING["properties"]["sample"]
    assert sample["examples"] == [{"title": "登录", "$ref": "#/none", "anyOf": [1]}]
    assert sample["default"] == {"title": "默认"}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (
            "color",
            {"type": "string", "enum": ["red", "blue"], "description": "An optional choice."},
        ),
        (
            "size",
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "One of two."},
        ),
    ],
)
def test_an_optional_field_is_shown_without_null(field: str, expected: Schema) -> None:
    assert EVERYTHING["properties"][field] == expected


def test_null_is_shown_where_it_means_something() -> None:
    assert {"type": "null"} in EVERYTHING["properties"]["maybe"]["anyOf"]


def test_an_object_that_is_used_twice_is_written_out_twice() -> None:
    properties = EVERYTHING["properties"]
    assert properties["twice"]["items"]["properties"] == properties["inner"]["properties"]


def test_a_reference_stays_only_in_what_holds_itself() -> None:
    schema = input_schema(TreeInput)
    assert schema["properties"]["tree"]["properties"]["children"]["items"] == {
        "$ref": "#/$defs/Node"
    }
    validator = jsonschema.Draft202012Validator(schema)
    tree = {"name": "根", "children": [{"name": "叶", "children": [{"name": 1}]}]}
    [error] = validator.iter_errors({"tree": tree})
    assert list(error.path) == ["tree", "children", 0, "children", 0, "name"]


def test_a_root_that_is_no_object_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="Words: the root"):
        input_schema(Words)


def test_an_input_without_fields_is_an_empty_object() -> None:
    assert input_schema(ToolInput) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_results_are_published_as_one_flat_object_in_which_only_ok_is_required() -> None:
    schema = output_schema(Found | Refused)
    assert schema is not None
    assert schema["type"] == "object"
    assert schema["required"] == ["ok"]
    assert set(schema["properties"]) == {
        "ok", "value", "at", "reason", "hint", "truncated", "full_result"
    }  # fmt: skip
    assert schema["properties"]["ok"]["type"] == "boolean"


@pytest.mark.parametrize("result", [Union[Found, Refused], Found | Refused])  # noqa: UP007  # both spellings
def test_both_spellings_of_a_union_publish_the_same(result: Any) -> None:
    assert output_schema(result) == output_schema(Found | Refused)


@pytest.mark.parametrize(
    "value",
    [
        Found(value=1),
        FoundText(value="登录", note=None),
        Refused(reason="没有", hint="try"),
    ],
)
def test_every_variant_of_a_result_fits_the_published_schema(value: BaseModel) -> None:
    schema = output_schema(Found | FoundText | Refused)
    jsonschema.Draft202012Validator(schema).validate(value.model_dump(mode="json"))


def test_a_null_in_a_result_fits_the_published_schema() -> None:
    item = TodoItem(id="step-001", description="写", status=Status.TODO)
    result = TodoItemUpdated(item=item, current=None, progress_pct=0)
    schema = output_schema(TodoItemUpdated | Refused)
    jsonschema.Draft202012Validator(schema).validate(result.model_dump(mode="json"))


def test_a_field_that_two_results_have_alike_is_published_once() -> None:
    schema = output_schema(Found | Plain)
    assert schema is not None
    assert schema["properties"]["value"] == {"type": "integer"}


def test_a_result_that_holds_itself_carries_its_definition() -> None:
    schema = output_schema(Grown | Refused)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"ok": True, "root": {"name": "a", "children": [{"name": "b"}]}})
    assert not validator.is_valid({"ok": True, "root": {"name": "a", "children": [{"name": 1}]}})


def test_a_model_without_ok_requires_nothing() -> None:
    schema = output_schema(Plain)
    assert schema is not None
    assert schema["required"] == []
    assert "ok" not in schema["properties"]


@pytest.mark.parametrize(
    "result", [str, dict[str, Any], None, Found | str, Found | None, Words, Found | Words]
)
def test_prose_and_values_without_a_model_publish_no_schema(result: Any) -> None:
    assert not declares_schema(result)
    assert output_schema(result) is None


@pytest.mark.parametrize(
    "schema",
    [EVERYTHING, input_schema(TreeInput), output_schema(Found | Refused), output_schema(Grown)],
)
def test_what_goes_out_is_json_schema_2020_12(schema: Schema) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_choices_at_the_root_become_properties() -> None:
    by_path = {"properties": {"路径": {"type": "string"}}, "required": ["路径"]}
    by_id = {"properties": {"id": {"type": "string"}, "kind": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "anyOf": [by_path, by_id],
        "allOf": [True],
    }
    assert flat_root(schema) == {
        "type": "object",
        "properties": {
            "路径": {"type": "string"},
            "id": {"type": "string"},
            "kind": {"type": "string"},
        },
    }
    assert "anyOf" in schema


def test_a_plain_root_is_left_as_it_is() -> None:
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}}
    assert flat_root(schema) is schema
