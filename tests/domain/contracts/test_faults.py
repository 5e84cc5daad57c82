"""What is wrong inside a contract, and what only looks like it."""

from typing import Any

import pytest

from devloop_tools.domain.contracts.faults import contract_faults, written

HEAD = {"unit": "a", "version": 1}
TODO = {"Todo": {"type": "object", "properties": {"id": {"type": "integer"}}}}


def event(schema: Any, **more: Any) -> dict[str, Any]:
    return {"events": [{"name": "x", "payload": schema}], **more}


@pytest.mark.parametrize(
    ("code", "where", "faulty", "sound"),
    [
        (
            "duplicate-endpoint", "endpoints.1.path",
            {"endpoints": [{"method": "GET", "path": "/{x}"}, {"method": "get", "path": "/:y"}]},
            {"endpoints": [{"method": "GET", "path": "/a/x"}, {"method": "GET", "path": "/a/{x}"},
                           {"method": "POST", "path": "/a/x"}]},
        ),
        (
            "duplicate-name", "functions.1.name",
            {"functions": [{"name": "存"}, {"name": "存"}]},
            {"functions": [{"name": "存"}, {"name": "取"}], "events": [{"name": "存"}]},
        ),
        (
            "duplicate-name", "errors.1.code",
            {"errors": [{"code": 1}, {"code": "1"}]},
            {"errors": [{"code": "E1"}, {"code": "e1"}]},
        ),
        (
            "invalid-status", "endpoints.0.responses.2xx",
            {"endpoints": [{"method": "GET", "path": "/", "responses": {"2xx": True}}]},
            {"endpoints": [{"method": "GET", "path": "/", "responses": {"2XX": True,
                                                                         "default": None}}]},
        ),
        (
            "invalid-schema", "events.0.payload.properties.a.type",
            event({"properties": {"a": {"type": "text"}}}),
            event({"properties": {"type": {"const": {"type": "text"}}}}),
        ),
        (
            "invalid-schema", "types.A.required",
            {"types": {"A": {"required": True}}},
            {"types": {"A": {"properties": {"required": {"type": "boolean"}}}}},
        ),
        (
            "undefined-type", "events.0.payload.items.$ref",
            event({"items": {"$ref": "#/types/Tod"}}, types=TODO),
            event({"items": {"$ref": "#/types/Todo"}}, types=TODO),
        ),
        (
            "undefined-type", "events.0.payload.$ref",
            event({"$ref": "https://e.x/Todo.json"}, types=TODO),
            event({"examples": [{"$ref": "#/types/No"}], "properties": {"$ref": True}}),
        ),
        (
            "undefined-type", "events.0.payload.$ref",
            event({"$ref": "#/$defs/B", "$defs": {"A": {}}}),
            event({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#"}}}),
        ),
        (
            "undefined-type", "events.0.payload.$ref",
            event({"$ref": "其他#/types/Todo"}),
            event({"$ref": "todo-be#/types/Todo"}),
        ),
        (
            "undefined-type", "events.0.payload.$ref",
            event({"$ref": "#/types/Todo/properties/no"}, types=TODO),
            event({"$ref": "#/types/Todo/properties/id"}, types=TODO),
        ),
        (
            "undefined-type", "events.0.payload.$ref",
            event({"$ref": "#/events/1/payload"}),
            event({"allOf": [{"$ref": "#/events/0/payload"}, {"$ref": "#/types/%E5%BE%85"}]},
                  types={"待": True}),
        ),
    ],
)  # fmt: skip
def test_a_fault_is_found_where_it_stands_and_what_looks_like_it_is_not(
    code: str, where: str, faulty: dict[str, Any], sound: dict[str, Any]
) -> None:
    found = [(f.code, written(f.steps)) for f in contract_faults(HEAD | faulty, {"todo-be"})]
    assert found == [(code, where)]
    assert list(contract_faults(HEAD | sound, {"todo-be"})) == []
