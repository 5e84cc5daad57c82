from typing import Any

import pytest

from devloop_tools.domain.bridge.contract_shapes import ContractShapes, shapes_of
from devloop_tools.domain.bridge.names import path_pieces, readable
from devloop_tools.domain.bridge.python import python
from devloop_tools.domain.bridge.typescript import typescript

TEXT = {"type": "string"}


def shapes(**parts: Any) -> ContractShapes:
    return shapes_of({"unit": "u", "version": 1, **parts}, "contract")


def test_of_two_functions_or_events_of_one_name_the_first_counts() -> None:
    twice = [{"name": "a", "params": [{"name": "x"}]}, {"name": "b"}, {"name": "a"}]
    found = shapes(functions=twice, events=[{"name": "e"}, {"name": "e", "payload": TEXT}])

    assert [(one.name, len(one.arguments)) for one in found.functions] == [("a", 1), ("b", 0)]
    assert found.events == (("e", None),)
    assert found.warnings == (
        "function a: it stands there twice; the first one counts",
        "event e: it stands there twice; the first one counts",
    )


def test_a_type_that_holds_itself_and_more_ends() -> None:
    more = {"allOf": [{"$ref": "#/types/A"}, {"properties": {"b": {"$ref": "#/types/A"}}}]}
    of_others = {"additionalProperties": {"allOf": [{"$ref": "#/types/B"}, {"$ref": "#/types/A"}]}}
    types = {"A": {"type": "object", "properties": {"a": more, "b": more}}, "B": of_others}
    files, _ = python(shapes(types=types))

    models = files["models.py"]
    compile(models, "models.py", "exec")
    assert len(models) < 100_000


@pytest.mark.parametrize(
    ("path", "pieces"),
    [
        ("/a/{b}/c", [("/a/", False), ("b", True), ("/c", False)]),
        ("/{a}{a}", [("/", False), ("a", True), ("a", True)]),
        ("/x\0{a\0b}", [("/x\0", False), ("a\0b", True)]),
        ("/", [("/", False)]),
    ],
)
def test_a_path_is_put_together_of_texts_and_parameters(
    path: str, pieces: list[tuple[str, bool]]
) -> None:
    assert path_pieces(path) == pieces


def test_what_cannot_be_seen_does_not_stand_in_comments() -> None:
    assert readable("做 \0\u202e\n a") == "做 a"


def test_a_query_may_be_of_any_type() -> None:
    endpoint = {"method": "GET", "path": "/a", "request": {"type": ["string", "null"]}}
    files = typescript(shapes(endpoints=[endpoint]))
    assert 'const path = "/a" + query(request);' in files["client.ts"]
