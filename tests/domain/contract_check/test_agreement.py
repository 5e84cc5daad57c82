import pytest

from devloop_tools.domain.contract_check.comparison import differences
from devloop_tools.domain.source.files import SourceFile
from devloop_tools.domain.source.unit_source import read_source

TYPES = {
    "Todo": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
    "Tree": {"type": "object", "properties": {"below": {"$ref": "#/types/Tree"}}},
}


def why(promised: object, written: str, suffix: str = "ts") -> str | None:
    """How `written` differs from the schema `promised`."""
    path = f"a.{suffix}"
    text = f"export type T = {written}\n" if suffix == "ts" else f"type T = {written}\n"
    source = read_source([SourceFile(path, text.encode())])
    contract = {"unit": "u", "version": 1, "types": {**TYPES, "T": promised}}
    found = differences(contract, source).differing
    return found[0].why if found else None


@pytest.mark.parametrize(
    ("promised", "written"),
    [
        ({"type": "integer"}, "number"),
        ({"type": "string", "format": "date"}, "Date"),
        ({"type": "string"}, "SomethingFromOutside"),
        ({}, "string"),
        ({"type": "boolean"}, "true | false"),
        ({"enum": ["a", "b"]}, "'b' | 'a'"),
        ({"enum": ["a", None]}, "'a' | null"),
        ({"type": ["string", "null"]}, "string | undefined"),
        ({"type": "array", "items": {"type": "string"}}, "readonly string[]"),
        ({"type": "array"}, "Set<number>"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "[string]"),
        ({"type": "object"}, "Map<string, number>"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "{ a?: string | null }"),
        ({"$ref": "#/types/Todo"}, "{ id: number }"),
        ({"allOf": [{"$ref": "#/types/Todo"}, {"properties": {"b": {"type": "string"}}}]},
         "{ id: number } & { b?: string }"),
        ({"type": "string"}, "Awaited<Promise<string>>"),
        ({"properties": {"id": {"type": "string"}}}, "NonNullable<Partial<{ id: string }>>"),
    ],
)  # fmt: skip
def test_one_thing_in_two_languages_is_one(promised: object, written: str) -> None:
    assert why(promised, written) is None


@pytest.mark.parametrize(
    ("promised", "written", "reason"),
    [
        ({"type": "string"}, "number", "string in the contract, number here"),
        ({"type": "string"}, "'a'", "string in the contract, one of a here"),
        ({"type": ["string", "null"]}, "string", "string or null in the contract, string here"),
        ({"enum": ["a", "b"]}, "'a' | 'c'",
         "b missing among the values; c among the values, not in the contract"),
        ({"type": "array", "items": {"type": "string"}}, "number[]",
         "items: string in the contract, number here"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "[string, string]",
         "1 items in the contract, 2 here"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "[number]",
         "item 1: string in the contract, number here"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, string>",
         "values: number in the contract, string here"),
        ({"$ref": "#/types/Todo"}, "string", "Todo in the contract, string here"),
        ({"$ref": "#/types/Todo"}, "{ id?: number; a: string; b: string; c: string; d: string }",
         "a is not in the contract; b is not in the contract; c is not in the contract;"
         " d is not in the contract …"),
        ({"type": "object", "properties": {"a": {}}}, "string[]",
         "an object with a in the contract, an array of string here"),
        ({"type": "array", "items": False}, "{ a: string }",
         "an array in the contract, an object with a here"),
        ({"allOf": [{"$ref": "#/types/Todo"}, {"$ref": "#/types/Tree"}]}, "string",
         "Todo and Tree in the contract, string here"),
        ({"enum": [f"value-{n}" for n in range(30)]}, "number",
         "one of value-0, value-1, value-2, value-3, value-4, value-5, value-6, value-7, …"
         " in the contract, number here"),
    ],
)  # fmt: skip
def test_a_difference_is_said_in_a_few_words(promised: object, written: str, reason: str) -> None:
    assert why(promised, written) == reason


@pytest.mark.parametrize(
    ("promised", "written", "reason"),
    [
        ({"type": "number"}, "float", None),
        ({"type": "integer"}, "float", "integer in the contract, number here"),
        ({"type": "number"}, "Decimal", None),
        ({"type": "string"}, "datetime.date", None),
        ({"type": "array", "items": {"type": "integer"}}, "tuple[int, ...]", None),
        ({"type": "object"}, "dict[str, object]", None),
        ({"type": ["string", "null"]}, "str | None", None),
        ({"enum": ["a", "b"]}, "Literal['a', 'b']", None),
    ],
)
def test_python_tells_whole_numbers_from_others(
    promised: object, written: str, reason: str | None
) -> None:
    assert why(promised, written, "py") == reason
