"""Which changes of a contract break its callers: the table, and what the answers say."""

from typing import Any

import pytest

from devloop_tools.domain.contracts.changes import ContractChange, contract_changes
from devloop_tools.storage.errors import ExpectedFailure

Part = dict[str, Any]

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}


def contract(**parts: Any) -> Part:
    return {"unit": "todo-be", "version": 1, **parts}


def changes(before: Part, after: Part) -> list[ContractChange]:
    return contract_changes(contract(**before), contract(**after))


def obj(required: tuple[str, ...] = (), more: Any = None, /, **properties: Any) -> Part:
    rest = {} if more is None else {"additionalProperties": more}
    return {"type": "object", "properties": properties, "required": list(required)} | rest


def sent(schema: Any, **parts: Any) -> Part:
    """A contract whose callers send what fits the schema."""
    return {"endpoints": [{"method": "POST", "path": "/todos", "request": schema}], **parts}


def read(schema: Any, **parts: Any) -> Part:
    """A contract whose callers read what fits the schema."""
    answers = {"200": schema}
    return {"endpoints": [{"method": "GET", "path": "/todos", "responses": answers}], **parts}


def one(schema: Any) -> Part:
    return obj(("state",), state=schema)


SMALL, LARGE = {"enum": ["新", "done"]}, {"enum": ["新", "done", "blocked"]}
LINK = {"$ref": "#/types/Todo"}
BRANCHES = {"anyOf": [TEXT, {"type": "null"}]}

AS_SUM = {"allOf": [obj(("a",), a=TEXT), {"properties": {"b": NUMBER}}]}

SCHEMAS = [
    ("one object written as a sum", obj(("a",), a=TEXT, b=NUMBER), AS_SUM, False, False),
    ("a sum that needs more", AS_SUM, {**AS_SUM, "required": ["b"]}, True, False),
    ("a single alternative", one(TEXT), one({"oneOf": [TEXT], "title": "标题"}), False, False),
    ("an optional property added", obj(title=TEXT), obj(title=TEXT, note=TEXT), False, False),
    ("a required property added", obj(), obj(("标题",), 标题=TEXT), True, False),
    ("an optional property removed", obj(a=TEXT, b=TEXT), obj(a=TEXT), False, True),
    ("a required property removed", obj(("a",), a=TEXT), obj(), False, True),
    ("a property now required", obj(a=TEXT), obj(("a",), a=TEXT), True, False),
    ("a property no longer required", obj(("a",), a=TEXT), obj(a=TEXT), False, True),
    ("an enum narrowed", one(LARGE), one(SMALL), True, False),
    ("an enum widened", one(SMALL), one(LARGE), False, True),
    ("an enum in another order", one({"enum": [1, 2]}), one({"enum": [2, 1]}), False, False),
    ("an enum added", one(TEXT), one({"type": "string", **SMALL}), True, False),
    ("an enum removed", one({"type": "string", **SMALL}), one(TEXT), False, True),
    ("one type instead of another", one(TEXT), one(NUMBER), True, True),
    ("integer instead of number", one(NUMBER), one(WHOLE), True, False),
    ("number instead of integer", one(WHOLE), one(NUMBER), False, True),
    ("null allowed too", one(TEXT), one({"type": ["string", "null"]}), False, True),
    ("null allowed by nullable", one(TEXT), one({"type": "string", "nullable": True}), False, True),
    ("null allowed by a branch", one(TEXT), one(BRANCHES), False, True),
    ("a branch removed", one(BRANCHES), one(TEXT), True, False),
    ("no other properties allowed", obj(a=TEXT), obj((), False, a=TEXT), True, False),
    ("other properties allowed", obj((), False, a=TEXT), obj(a=TEXT), False, True),
    ("a property added to a closed object", obj((), False), obj((), False, a=TEXT), False, True),
    (
        "a property removed from a closed object",
        obj((), False, a=TEXT),
        obj((), False),
        True,
        False,
    ),
    ("other properties of another type", obj((), NUMBER), obj((), WHOLE), True, False),
    ("a longer least length", one({"minLength": 1}), one({"minLength": 2}), True, False),
    ("a lower maximum", one({"maximum": 9}), one({"maximum": 5}), True, False),
    ("a higher maximum", one({"maximum": 5}), one({"maximum": 9}), False, True),
    ("a pattern added", one(TEXT), one({"type": "string", "pattern": "^a"}), True, False),
    ("a pattern changed", one({"pattern": "^a"}), one({"pattern": "^b"}), True, True),
    ("items of a narrower type", one({"items": NUMBER}), one({"items": WHOLE}), True, False),
    ("a condition that can't be judged", one({"if": TEXT}), one({"if": NUMBER}), True, True),
    ("a description", one(TEXT), one({"type": "string", "description": "状态"}), False, False),
    ("an example", one(TEXT), one({"type": "string", "examples": ["新"]}), False, False),
    (
        "part of a sum removed",
        {"allOf": [obj(a=TEXT), obj(b=TEXT)]},
        {"allOf": [obj(a=TEXT)]},
        False,
        True,
    ),
]


@pytest.mark.parametrize(
    ("before", "after", "breaks_sender", "breaks_reader"),
    [pytest.param(*pair, id=name) for name, *pair in SCHEMAS],
)
def test_a_schema_change_breaks_those_who_send_or_those_who_read(
    before: Part, after: Part, breaks_sender: bool, breaks_reader: bool
) -> None:
    in_request = changes(sent(before), sent(after))
    in_response = changes(read(before), read(after))

    assert any(change.breaking for change in in_request) == breaks_sender
    assert any(change.breaking for change in in_response) == breaks_reader


@pytest.mark.parametrize(
    ("before", "after", "breaks_sender", "breaks_reader"),
    [pytest.param(*pair, id=name) for name, *pair in SCHEMAS],
)
def test_the_same_change_inside_a_type_counts_where_the_type_is_used(
    before: Part, after: Part, breaks_sender: bool, breaks_reader: bool
) -> None:
    old, new = {"types": {"Todo": before}}, {"types": {"Todo": after}}

    in_request = changes(sent(LINK, **old), sent(LINK, **new))
    in_response = changes(read(LINK, **old), read(LINK, **new))

    assert any(change.breaking for change in in_request) == breaks_sender
    assert any(change.breaking for change in in_response) == breaks_reader


def route(path: str, method: str = "GET", **rest: Any) -> Part:
    return {"endpoints": [{"method": method, "path": path, **rest}]}


def call(*params: Part, returns: Any = None) -> Part:
    return {"functions": [{"name": "add", "params": list(params), "returns": returns}]}


TITLE, DAY = {"name": "title", "schema": TEXT}, {"name": "day", "schema": TEXT}
MAYBE = {**DAY, "required": False}

PARTS = [
    ("an endpoint added", {}, route("/a"), False),
    ("an endpoint removed", route("/a"), {}, True),
    ("another method", route("/a"), route("/a", "PUT"), True),
    ("the method in small letters", route("/a"), route("/a", "get", summary="查"), False),
    ("path parameters renamed", route("/a/{id}"), route("/a/{todo_id}"), False),
    ("path parameters written with a colon", route("/a/{id}"), route("/a/:id"), False),
    ("a longer path", route("/a/{id}"), route("/a/{id}/b"), True),
    (
        "a status removed",
        route("/a", responses={"200": {}, "404": {}}),
        route("/a", responses={"200": {}}),
        True,
    ),
    (
        "a status added",
        route("/a", responses={"200": {}}),
        route("/a", responses={"200": {}, "404": {}}),
        False,
    ),
    (
        "a request that needs fields",
        route("/a", "POST"),
        route("/a", "POST", request=obj(("t",), t=TEXT)),
        True,
    ),
    (
        "a request without needs",
        route("/a", "POST"),
        route("/a", "POST", request=obj(t=TEXT)),
        False,
    ),
    ("a request removed", route("/a", "POST", request=obj(t=TEXT)), route("/a", "POST"), False),
    ("a summary", route("/a", summary="list"), route("/a", summary="列出"), False),
    ("a function added", {}, call(TITLE), False),
    ("a function removed", call(TITLE), {}, True),
    ("an optional parameter added", call(TITLE), call(TITLE, MAYBE), False),
    (
        "a parameter with a default added",
        call(TITLE),
        call(TITLE, {"name": "n", "schema": {"default": 1}}),
        False,
    ),
    ("a needed parameter added", call(TITLE), call(TITLE, DAY), True),
    ("an optional parameter put before", call(TITLE), call(MAYBE, TITLE), True),
    ("a parameter removed", call(TITLE, DAY), call(TITLE), True),
    ("a parameter renamed", call(TITLE), call({**TITLE, "name": "标题"}), True),
    ("parameters in another order", call(TITLE, DAY), call(DAY, TITLE), True),
    ("a parameter that must be given", call(MAYBE), call(DAY), True),
    ("a parameter that may be left out", call(DAY), call(MAYBE), False),
    (
        "a parameter of a wider type",
        call({"name": "n", "schema": WHOLE}),
        call({"name": "n", "schema": NUMBER}),
        False,
    ),
    ("a result of a wider type", call(returns=WHOLE), call(returns=NUMBER), True),
    ("an event added", {}, {"events": [{"name": "todo.done"}]}, False),
    ("an event removed", {"events": [{"name": "todo.done"}]}, {}, True),
    (
        "a wider payload",
        {"events": [{"name": "e", "payload": SMALL}]},
        {"events": [{"name": "e", "payload": LARGE}]},
        True,
    ),
    ("an error added", {}, {"errors": [{"code": "E1"}]}, False),
    ("an error removed", {"errors": [{"code": "E1"}]}, {}, True),
    (
        "an error described anew",
        {"errors": [{"code": "E1"}]},
        {"errors": [{"code": "E1", "when": "满了"}]},
        False,
    ),
    ("an unused type changed", {"types": {"T": TEXT}}, {"types": {"T": NUMBER}}, False),
    ("an unused type removed", {"types": {"T": TEXT}}, {}, False),
    ("a field that only people read", {"owner": "A"}, {"owner": "王"}, False),
]


@pytest.mark.parametrize(
    ("before", "after", "breaks"), [pytest.param(*pair, id=name) for name, *pair in PARTS]
)
def test_a_change_of_a_part_is_told_and_breaks_callers_or_not(
    before: Part, after: Part, breaks: bool
) -> None:
    found = changes(before, after)

    assert found != []
    assert any(change.breaking for change in found) == breaks


@pytest.mark.parametrize(
    "part", [before for _, before, *_ in PARTS] + [sent(s) for _, s, *_ in SCHEMAS]
)
def test_a_contract_differs_in_nothing_from_itself(part: Part) -> None:
    assert changes(part, part) == []


def test_a_change_says_where_it_is_and_what_it_was() -> None:
    before = sent(obj(items={"type": "array", "items": obj(状态=LARGE)}))
    after = sent(obj(items={"type": "array", "items": obj(状态=SMALL)}))

    [change] = changes(before, after)

    assert change.where == "POST /todos request.items[].状态"
    assert change.what == 'value removed: "blocked"'


def test_types_that_hold_themselves_are_compared_once() -> None:
    tree = {"anyOf": [LINK, {"type": "null"}]}
    before = {"Todo": obj(left=tree, right=tree, name=TEXT)}
    after = {"Todo": obj(left=tree, right=tree, name=NUMBER)}

    found = changes(read(LINK, types=before), read(LINK, types=after))

    assert [change.where for change in found] == ["GET /todos response 200.name"]


def test_a_type_wrapped_in_a_sum_is_the_type() -> None:
    types = {"Todo": obj(("标题",), 标题=TEXT)}

    assert changes(sent(LINK, types=types), sent({"allOf": [LINK]}, types=types)) == []


def test_a_sum_that_holds_itself_ends() -> None:
    loop = {"Todo": {"allOf": [LINK, obj(a=TEXT)]}}

    assert changes(sent(LINK, types=loop), sent(LINK, types=loop)) == []


def test_many_types_that_all_refer_to_each_other_are_compared_in_time() -> None:
    def types(leaf: Part) -> Part:
        links = {f"p{i}": {"$ref": f"#/types/T{i}"} for i in range(60)}
        return {f"T{i}": obj(**links, leaf=leaf) for i in range(60)}

    root = {"$ref": "#/types/T0"}
    found = changes(read(root, types=types(TEXT)), read(root, types=types(NUMBER)))

    assert len(found) == 60


def test_a_reference_to_a_type_that_is_not_there_can_not_be_judged() -> None:
    found = changes(read({"$ref": "#/types/旧"}), read({"$ref": "#/types/新"}))

    assert [change.breaking for change in found] == [True]


def test_what_is_no_contract_is_refused_with_its_field() -> None:
    with pytest.raises(ExpectedFailure, match=r"after: no contract: endpoints.0.method"):
        changes({}, {"endpoints": [{"path": "/a"}]})
