import pytest

from devloop_tools.domain.contracts.contract import Contract, parse_contract
from devloop_tools.domain.hints.contract_passage import passage

CONTRACT: Contract = parse_contract(
    {
        "unit": "todo-be",
        "version": 1,
        "endpoints": [
            {"method": "GET", "path": "/todos", "summary": "列出", "responses": {"200": {}}},
            {"method": "PUT", "path": "/todos/{id}", "responses": {"200": {}, "404": {}}},
        ],
        "functions": [
            {
                "name": "parse_money",
                "summary": "分为单位",
                "params": [
                    {"name": "text", "schema": {"type": "string"}},
                    {"name": "unit", "schema": {"$ref": "#/types/Unit"}},
                ],
                "returns": {"type": "integer", "description": "cents"},
            }
        ],
        "types": {"Todo": {"type": "object"}},
        "errors": [{"code": "E_GONE", "when": "it is not there"}],
    },
    "contract",
)


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (
            ["other", "parseMoney"], "",
            "parse_money(text: string, unit: Unit) → integer (cents): 分为单位",
        ),
        ([], "PUT /todos/17 came 500", "PUT /todos/{id} → 200, 404"),
        ([], "GET /todos: 500", "GET /todos 列出 → 200"),
        ([], "E_GONE was not thrown", "E_GONE: it is not there"),
        ([], "no Todo came", 'Todo: object'),
        (["other"], "/todosx E_GONER", ""),
    ],
)  # fmt: skip
def test_what_the_contract_says_of_a_failure(names: list[str], text: str, found: str) -> None:
    assert passage(CONTRACT, names, text) == found
