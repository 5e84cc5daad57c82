"""Contracts that are hard on a code generator."""

from typing import Any

HOSTILE_NAMES = (
    "class", "def", "default", "delete", "function", "interface", "match", "None", "self", "type",
    "any", "string", "str", "object", "list", "Promise", "Client", "Handlers", "models", "request",
    "标题", "项目 id", "it's", 'say "hi"', "a-b", "a_b", "a b", "1st", "", "*/ boom", "${x}", "`x`",
    "back\\slash", "new\nline", '"""', "ﬁ", "é", "e\u0301", "__proto__", "constructor", "🙂",
    "eval", "arguments", "new", "print", "id", "__init__", "__class__", "a\x00b", "\u202e",
)  # fmt: skip
"""Words that languages reserve, that generated code uses itself, and that end a text early."""

TODO: dict[str, Any] = {
    "type": "object",
    "required": ["id", "title"],
    "properties": {
        "id": {"type": "integer"},
        "title": {"type": "string", "description": "What is to be done. */ 做什么"},
        "owner": {"type": "object", "properties": {"name": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}

PLAIN: dict[str, Any] = {
    "unit": "todo-be",
    "version": 1,
    "endpoints": [
        {
            "method": "GET",
            "path": "/todos/{id}",
            "summary": "One todo",
            "responses": {"200": {"$ref": "#/types/Todo"}, "404": {"$ref": "#/types/Problem"}},
        },
        {
            "method": "POST",
            "path": "/todos",
            "request": {
                "type": "object",
                "required": ["title"],
                "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "high"]}},
            },
            "responses": {"201": {"$ref": "#/types/Todo"}},
        },
        {
            "method": "GET",
            "path": "/todos",
            "request": {"type": "object", "properties": {"q": {"type": "string"}}},
            "responses": {"200": {"type": "array", "items": {"$ref": "#/types/Todo"}}},
        },
        {"method": "DELETE", "path": "/todos/{id}", "responses": {"204": None}},
    ],
    "functions": [
        {
            "name": "createTodo",
            "params": [
                {"name": "title", "schema": {"type": "string"}},
                {"name": "done", "schema": {"type": "boolean", "default": False}},
            ],
            "returns": {"$ref": "#/types/Todo"},
        }
    ],
    "types": {
        "Todo": TODO,
        "Problem": {"type": "object", "properties": {"code": {"const": "NOT_FOUND"}}},
    },
    "events": [{"name": "todo.created", "payload": {"$ref": "#/types/Todo"}}],
    "errors": [{"code": "NOT_FOUND", "when": "there is none"}, {"code": 4001}],
}

SCHEMAS: dict[str, Any] = {
    "Tree": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/types/Tree"}}]},
    "Loop": {"$ref": "#/types/Pool"},
    "Pool": {"anyOf": [{"$ref": "#/types/Loop"}, {"type": "null"}]},
    "Pair": {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": False,
    },
    "Row": {"prefixItems": [{"type": "string"}], "items": {"type": "number"}},
    "Nothing": False,
    "Everything": True,
    "Gone": {"$ref": "#/types/Missing"},
    "Open": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": {"type": "integer"},
    },
    "Headers": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
    "Both": {"allOf": [{"$ref": "#/types/Row0"}, {"properties": {"extra": {"type": "boolean"}}}]},
    "Row0": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}},
    "Never": {"allOf": [{"type": "string"}, {"type": "integer"}]},
    "Mixed": {"enum": ["a", 1, 1.5, None, True, [1, "b"], {"c": {}}]},
    "Maybe": {"type": ["string", "null"]},
    "Old": {"type": "integer", "nullable": True},
    "Known": {"$defs": {"Inner": {"type": "string"}}, "$ref": "#/$defs/Inner"},
    "Odd type": {"type": "date"},
}


def hostile() -> dict[str, Any]:
    """A contract whose every name is hostile, and whose schemas are of every kind."""
    names = [name for name in HOSTILE_NAMES if name]
    text = {"type": "string"}
    types: dict[str, Any] = {
        name: {
            "type": "object",
            "required": [name],
            "properties": {name: text},
        }
        for name in HOSTILE_NAMES
    }
    types["class"]["properties"] = dict.fromkeys(HOSTILE_NAMES, text)
    return {
        "unit": "敌意",
        "version": "1.0 */",
        "types": {**types, **SCHEMAS},
        "endpoints": [
            {
                "method": "POST",
                "path": f"/{name.replace('/', '')}/{{{name.replace('/', '')}}}",
                "summary": f'{name} """ */',
                "request": {"type": "object", "properties": {name: text}},
                "responses": {"200": True, "4XX": {"enum": [name]}, "default": False},
            }
            for name in names
        ],
        "functions": [
            {
                "name": name,
                "params": [
                    {"name": other, "schema": text, "required": at % 3 != 0}
                    for at, other in enumerate(names[place : place + 3] if place else names[::3])
                ],
                "returns": {
                    "type": "array",
                    "items": {"type": "object", "properties": {name: text}},
                },
            }
            for place, name in enumerate(names)
        ],
        "events": [{"name": name, "payload": {"enum": [name]}} for name in names],
        "errors": [{"code": name} for name in HOSTILE_NAMES],
    }
