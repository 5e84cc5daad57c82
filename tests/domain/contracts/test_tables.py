"""A contract as people read it."""

from typing import Any

import pytest

from devloop_tools.domain.contracts.contract import parse_contract
from devloop_tools.domain.contracts.tables import contract_html


def shown(language: str = "en", **parts: Any) -> str:
    contract = parse_contract({"unit": "a", "version": "一", **parts}, "contract")
    return contract_html(contract, "sha256:0", language)


def cells(schema: Any) -> list[str]:
    """The rows of a type's table, cells joined by a bar, tags of code left out."""
    table = shown(types={"T": schema}).partition("<tbody>\n")[2].partition("\n</tbody>")[0]
    plain = table.replace("<code>", "").replace("</code>", "").replace("</td><td>", "|")
    plain = plain.replace("&quot;", '"')
    return [row.removeprefix("<tr><td>").removesuffix("</td></tr>") for row in plain.split("\n")]


@pytest.mark.parametrize(
    ("schema", "rows"),
    [
        (True, ["|any||"]),
        (False, ["|never||"]),
        ({"type": "string", "format": "uuid", "maxLength": 3}, ["|string (uuid)||maxLength 3"]),
        ({"const": "甲"}, ['|"甲"||']),
        ({"oneOf": [{"type": "null"}, {"enum": [1, 2]}]}, ["|null | 1 | 2||"]),
        ({"allOf": [{"type": "object"}, True]}, ["|object &amp; any||"]),
        ({"type": "array", "items": {"type": ["string", "null"]}}, ["|(string | null)[]||"]),
        (
            {"type": "object", "additionalProperties": {"type": "number"}},
            ["|object {string: number}||"],
        ),
        ({"$ref": "#/types/T"}, ['|<a href="#type-t">T</a>||']),
        ({"$ref": "b#/types/U<"}, ["|b#/types/U&lt;||"]),
        (
            {"required": ["a"], "properties": {"a": {"properties": {"乙": {"default": []}}}}},
            ["a|object|yes|", "a.乙|any|no|default []"],
        ),
        (
            {"type": "array", "items": {"properties": {"x": True}}, "minItems": 1},
            ["|object[]||minItems 1", "[].x|any|no|"],
        ),
    ],
)
def test_a_schema_has_a_row_a_field(schema: Any, rows: list[str]) -> None:
    assert cells(schema) == rows


def test_objects_beyond_a_depth_stand_there_as_json() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(9):
        schema = {"properties": {"a": schema}}
    rows = cells(schema)
    assert len(rows) == 6
    assert '{"properties":{"a":{"properties"' in rows[-1]


def test_fields_of_its_own_are_shown_too() -> None:
    text = shown(owner={"name": "甲"}, endpoints=[{"method": "GET", "path": "/", "auth": True}])
    assert "<p><code>auth</code> <code>true</code></p>" in text
    assert "<h3>Further</h3>\n<p><code>owner</code>" in text


@pytest.mark.parametrize(
    ("language", "words"), [("zh-CN", "还没有承诺"), ("en", "promises nothing")]
)
def test_an_empty_contract_says_so_in_the_site_s_language(language: str, words: str) -> None:
    assert words in shown(language)
