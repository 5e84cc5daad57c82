from typing import Any

import pytest

from devloop_tools.domain.bridge.schema_shapes import MAX_DEPTH, SchemaShapes, referred
from devloop_tools.domain.bridge.shapes import (
    Array,
    Constants,
    Intersection,
    Object,
    Primitive,
    Property,
    Reference,
    Shape,
    Union,
)

TEXT, INTEGER, NULL = Primitive.STRING, Primitive.INTEGER, Primitive.NULL


def shape(schema: Any, types: dict[str, Any] | None = None) -> tuple[Shape, list[str]]:
    """What `schema` is read as, with the warnings."""
    reading = SchemaShapes(types or {"T": {"type": "string"}})
    return reading.shape(schema, "here"), reading.warnings


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, Primitive.UNKNOWN),
        (False, Primitive.NEVER),
        ({}, Primitive.UNKNOWN),
        ({"type": "integer", "minimum": 1}, INTEGER),
        ({"type": ["string", "null"]}, Union((TEXT, NULL))),
        ({"type": "string", "nullable": True}, Union((TEXT, NULL))),
        ({"$ref": "#/types/T"}, Reference("T")),
        ({"$ref": "#/$defs/T", "description": "beside"}, Reference("T")),
        ({"const": 1}, Constants((1,))),
        ({"enum": ["甲", None]}, Constants(("甲", None))),
        ({"anyOf": [{"type": "string"}, {"type": "string"}]}, TEXT),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, Union((TEXT, INTEGER))),
        ({"anyOf": [{"type": "string"}, {}]}, Primitive.UNKNOWN),
        ({"anyOf": [False]}, Primitive.NEVER),
        ({"allOf": [{"$ref": "T"}, {"type": "integer"}]}, Intersection((Reference("T"), INTEGER))),
        ({"allOf": [{}, False]}, Primitive.NEVER),
        ({"items": {"type": "string"}}, Array(TEXT)),
        ({"type": "array"}, Array(Primitive.UNKNOWN)),
        ({"prefixItems": [{"type": "string"}], "items": False}, Array(None, (TEXT,))),
        ({"required": ["a"]}, Object((Property("a", Primitive.UNKNOWN, True),))),
        (
            {"properties": {"名": {"type": "string", "description": "谁"}}},
            Object((Property("名", TEXT, False, "谁"),)),
        ),
        ({"type": "object", "additionalProperties": False}, Object(())),
        ({"additionalProperties": {"type": "integer"}}, Object((), INTEGER)),
        ({"patternProperties": {"^x": {"type": "string"}}}, Object((), TEXT)),
    ],
)
def test_a_schema_is_read_as(schema: Any, expected: Shape) -> None:
    assert shape(schema) == (expected, [])


@pytest.mark.parametrize(
    ("schema", "warning"),
    [
        ({"$ref": "#/types/Gone"}, "here: #/types/Gone is no type of the contract"),
        ({"type": "date"}, "here: date is no type of JSON"),
        ({"items": "string"}, "here[]: str is no schema"),
    ],
)
def test_what_can_not_be_read_stands_for_any_value_and_is_said(schema: Any, warning: str) -> None:
    found, warnings = shape(schema)
    assert found in (Primitive.UNKNOWN, Array(Primitive.UNKNOWN))
    assert [text.startswith(warning) for text in warnings] == [True]


def test_deep_nesting_ends() -> None:
    schema: Any = {"type": "string"}
    for _ in range(MAX_DEPTH * 10):
        schema = {"type": "array", "items": schema}
    found, warnings = shape(schema)
    depth = 0
    while isinstance(found, Array):
        depth += 1
        assert found.rest is not None
        found = found.rest
    assert (found, depth) == (Primitive.UNKNOWN, MAX_DEPTH + 1)
    assert len(warnings) == 1


def test_types_that_mean_only_each_other_stand_for_any_value() -> None:
    types = {
        "A": {"$ref": "B"},
        "B": {"anyOf": [{"$ref": "A"}, {"type": "null"}]},
        "Tree": {"items": {"$ref": "Tree"}},
    }
    reading = SchemaShapes(types)
    assert reading.types["A"] is Primitive.UNKNOWN
    assert reading.types["Tree"] == Array(Reference("Tree"))
    assert len(reading.warnings) == 1


@pytest.mark.parametrize("reference", ["#/types/a~1b%25", "#/$defs/a~1b%25"])
def test_a_reference_is_read_as_a_json_pointer(reference: str) -> None:
    assert referred(reference) == "a/b%"
