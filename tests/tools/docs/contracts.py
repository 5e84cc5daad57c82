"""Contracts of two units, in Chinese and English, and the design that they belong to."""

from typing import Any

UNITS: list[dict[str, Any]] = [
    {"id": "todo-be", "title": "待办后端", "kind": "backend", "prd_refs": ["login"]},
    {"id": "todo-fe", "title": "Todo UI", "kind": "frontend", "depends_on": ["todo-be"]},
]

TODO_BE: dict[str, Any] = {
    "unit": "todo-be",
    "version": 1,
    "endpoints": [
        {
            "method": "POST",
            "path": "/todos",
            "summary": "新建一条 <b>todo</b>",
            "request": {
                "type": "object",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string", "minLength": 1, "description": "标题"},
                    "tags": {"type": "array", "items": {"enum": ["家", "work"]}},
                },
            },
            "responses": {"201": {"$ref": "#/types/Todo"}, "4XX": None},
        },
        {
            "method": "GET",
            "path": "/todos/{id}",
            "responses": {"200": {"$ref": "#/types/Todo"}},
        },
    ],
    "functions": [
        {"name": "count", "params": [{"name": "done", "schema": {"type": "boolean"}}],
         "returns": {"type": "integer"}}
    ],
    "types": {
        "Todo": {
            "type": "object",
            "description": "一条待办",
            "properties": {
                "id": {"type": "integer"},
                "due": {"type": ["string", "null"], "format": "date"},
            },
        }
    },
    "events": [{"name": "todo.created", "payload": {"$ref": "#/types/Todo"}}],
    "errors": [{"code": "E_EMPTY", "when": "标题 is empty, </script> too"}],
}  # fmt: skip
