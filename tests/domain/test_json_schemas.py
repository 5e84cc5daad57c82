"""Schemas of others end in time, whatever they hold."""

import time
from typing import Any

import pytest

from devloop_tools.domain.json_schemas import (
    LIMIT_S,
    Unjudged,
    fault_of_schema,
    faults_of_value,
)

EVIL = "^(a+)+$"
LONG = "a" * 5000 + "!"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def messages(schema: Any, value: Any, **how: Any) -> list[str]:
    before = time.monotonic()
    found = [fault.message for fault in faults_of_value(schema, value, **how)]
    assert time.monotonic() - before < LIMIT_S + 1
    return found


@pytest.mark.parametrize(
    ("schema", "value", "count"),
    [
        ({"pattern": EVIL}, LONG, 1),
        ({"patternProperties": {EVIL: False}}, {LONG: 1}, 0),
        ({"patternProperties": {EVIL: {}}, "additionalProperties": False}, {LONG: 1}, 1),
        ({"propertyNames": {"pattern": EVIL}}, {LONG: 1}, 1),
        ({"items": {"$schema": DRAFT_7, "pattern": EVIL}}, [LONG], 1),
        ({"$ref": "#/$defs/文", "$defs": {"文": {"pattern": EVIL}}}, LONG, 1),
    ],
)
def test_a_pattern_never_holds_it(schema: Any, value: Any, count: int) -> None:
    assert len(messages(schema, value)) == count


def test_what_patterns_mean_is_kept() -> None:
    schema = {
        "properties": {"id": {"type": "integer"}},
        "patternProperties": {"^x-": {"type": "string"}, "名$": {"minLength": 1}},
        "additionalProperties": False,
    }
    assert messages(schema, {"id": 1, "x-a": "b", "登录名": "c"}) == []
    found = messages(schema, {"id": "1", "x-a": 2, "登录名": "", "y": 0})
    assert sorted(found)[1:] == [
        "'1' is not of type 'integer'",
        "2 is not of type 'string'",
        "Additional properties are not allowed ('y' was unexpected)",
    ]


def test_references_that_branch_without_end_are_given_up_in_time() -> None:
    levels: dict[str, Any] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(60)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**levels, "d60": {}}}
    with pytest.raises(Unjudged, match="longer than 2 s; let its references branch less"):
        messages(schema, "x")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"pattern": "^(?=a)"}, r"the pattern \^\(\?=a\) can't be judged: look-around"),
        ({"$ref": "#/nowhere"}, "the schema refers to /nowhere, which is not inside it"),
        ({"$ref": "#"}, "the schema or the value is nested too deeply"),
        (
            {"unevaluatedProperties": False, "patternProperties": {"a": True}},
            "unevaluatedProperties is not judged in a schema that has patternProperties",
        ),
    ],
)
def test_what_can_not_be_judged_says_why(schema: Any, why: str) -> None:
    with pytest.raises(Unjudged, match=why):
        messages(schema, "abc" if "pattern" in schema else {"b": 1})


def test_unevaluated_properties_alone_are_judged() -> None:
    schema = {"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}
    assert messages(schema, {"a": 1}) == []
    assert len(messages(schema, {"b": 1})) == 1


def test_who_is_not_strict_lets_through_what_no_engine_of_ours_knows() -> None:
    schema = {
        "properties": {"mail": {"pattern": r"^(?!\.)\S+@\S+$", "type": "string"}},
        "patternProperties": {"^(?=x)": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert messages(schema, {"mail": "a@b", "x": "other"}, strict=False) == []
    assert messages(schema, {"mail": 3}, strict=False) == ["3 is not of type 'string'"]
    assert len(messages({"pattern": EVIL}, LONG, strict=False)) == 1


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(" * 3000 + ")" * 3000 + "\\1"])
def test_a_pattern_that_is_none_is_a_fault_of_the_schema(pattern: str) -> None:
    fault = fault_of_schema({"items": {"pattern": pattern}})
    assert fault is not None
    assert (fault.steps, fault.json_path) == (("items", "pattern"), "$.items.pattern")


def test_patterns_of_ecmascript_are_no_fault() -> None:
    assert fault_of_schema({"pattern": r"^\p{Han}(?<y>a)?"}) is None


def test_a_schema_that_is_nested_too_deep_is_a_fault() -> None:
    schema: dict[str, Any] = {}
    for _ in range(3000):
        schema = {"items": schema}
    fault = fault_of_schema(schema)
    assert fault is not None
    assert fault.message == "it is nested too deeply"
