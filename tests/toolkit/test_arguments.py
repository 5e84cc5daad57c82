"""Arguments as clients send them, and what the model reads when they don't fit."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field

from devloop_tools.toolkit import FreeObject, ToolInput
from devloop_tools.toolkit.arguments import InvalidArguments, parse_arguments


class Pace(StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Step(ToolInput):
    title: str = Field(min_length=1, max_length=20)
    pace: Pace | None = None
    needs: list[str] = Field(default_factory=list)


class PlanInput(ToolInput):
    name: str = Field(default="none", max_length=100)
    count: int = Field(default=0, ge=0, le=9)
    ratio: float = 0.5
    note: str | None = None
    mode: Literal["draft", "final"] = "draft"
    code: str = Field(default="step-001", pattern=r"^step-[0-9]{3}$")
    steps: list[Step] = Field(default_factory=list, max_length=3)
    first: Step | None = None
    facts: FreeObject | None = None
    limits: dict[str, int] = Field(default_factory=dict)
    size: int | list[int] = 1
    named: str | list[str] = "x"
    by_name: dict[str, Step] = Field(default_factory=dict)
    标题: str = "无"


class Required(ToolInput):
    title: str
    items: list[str]


def parsed(arguments: dict[str, Any]) -> PlanInput:
    result = parse_arguments("plan", PlanInput, arguments)
    assert isinstance(result, PlanInput)
    return result


def lines_for(arguments: dict[str, Any], model: type[ToolInput] = PlanInput) -> list[str]:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments("plan", model, arguments)
    head, *lines = str(caught.value).split("\n")
    assert head == "Invalid arguments for plan:"
    return lines


@pytest.mark.parametrize(
    "field",
    [
        "name",
        "count",
        "ratio",
        "mode",
        "steps",
        "first",
        "facts",
        "limits",
        "size",
        "named",
        "标题",
    ],
)
def test_null_for_an_optional_field_counts_as_absent(field: str) -> None:
    assert parsed({field: None}) == parsed({})


def test_null_in_an_optional_field_of_a_nested_object_counts_as_absent() -> None:
    [step] = parsed({"steps": [{"title": "登录", "needs": None, "pace": None}]}).steps
    assert (step.needs, step.pace) == ([], None)


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("an even number is needed")
    return value


class Paired(ToolInput):
    pairs: Annotated[int, AfterValidator(_even)] = 0


def test_what_a_validator_says_is_said_as_it_is() -> None:
    assert lines_for({"pairs": 3}, Paired) == [
        "- pairs: 3 is not allowed: an even number is needed."
    ]


def test_null_where_null_is_allowed_stays() -> None:
    assert parsed({"note": None}).note is None


def test_null_for_a_required_field_is_said_to_need_a_value() -> None:
    assert lines_for({"title": None, "items": []}, Required) == [
        "- title: null was given; it needs a value."
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {"limits": {"cpu": None}},
            "- limits.cpu: Input should be a valid integer; null was given.",
        ),
        (
            {"steps": [{"title": "a", "needs": [None]}]},
            "- steps[0].needs[0]: Input should be a valid string; null was given.",
        ),
        (
            {"steps": [None]},
            "- steps[0]: an object is expected, not null.",
        ),
    ],
)
def test_null_in_a_map_or_list_is_never_dropped(arguments: dict[str, Any], line: str) -> None:
    assert lines_for(arguments) == [line]


def test_an_object_or_list_sent_as_a_json_string_is_taken() -> None:
    plan = parsed({"facts": '{"k": "值"}', "steps": '[{"title": "登录"}]', "size": "[1, 2]"})
    assert (plan.facts, plan.steps[0].title, plan.size) == ({"k": "值"}, "登录", [1, 2])


def test_strings_and_nulls_are_mended_inside_what_came_as_a_string() -> None:
    plan = parsed({"steps": '[{"title": "a", "pace": null, "needs": "[\\"b\\"]"}]'})
    assert plan.steps == [Step(title="a", needs=["b"])]


@pytest.mark.parametrize("text", ['{"a": 1}', '["a"]', "null", "12", '"quoted"'])
def test_a_string_parameter_is_never_parsed(text: str) -> None:
    plan = parsed({"name": text, "named": text})
    assert (plan.name, plan.named) == (text, text)


@pytest.mark.parametrize("text", ["{not json", "[1, 2", '["a"]', "12", "null", ""])
def test_a_string_that_holds_no_object_is_refused_where_one_is_expected(text: str) -> None:
    [line] = lines_for({"facts": text})
    assert line.startswith('- facts: an object is expected, not "')


def test_the_given_arguments_are_never_altered() -> None:
    arguments: dict[str, Any] = {"steps": [{"title": "a", "pace": None, "needs": '["b"]'}]}
    parsed(arguments)
    assert arguments == {"steps": [{"title": "a", "pace": None, "needs": '["b"]'}]}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {"nmae": "x"},
            "- nmae: unknown field (did you mean name?). Allowed: by_name, code, count, facts, "
            "first, limits, mode, name, named, note, ratio, size, steps, 标题",
        ),
        (
            {"steps": [{"title": "a", "titel": "b"}]},
            "- steps[0].titel: unknown field (did you mean title?). Allowed: needs, pace, title",
        ),
        (
            {"first": {"title": "a", "zzz": 1}},
            "- first.zzz: unknown field. Allowed: needs, pace, title",
        ),
        (
            {"by_name": {"登录": {"title": "a", "need": []}}},
            "- by_name.登录.need: unknown field (did you mean needs?). Allowed: needs, pace, title",
        ),
        ({"steps": [{}]}, "- steps[0].title: it is required and was not given."),
        ({"mode": "finl"}, "- mode: \"finl\" is not allowed. Allowed: 'draft' or 'final'"),
        (
            {"first": {"title": "a", "pace": "warp"}},
            "- first.pace: \"warp\" is not allowed. Allowed: 'fast' or 'slow'",
        ),
        (
            {"code": "step-１２３"},
            '- code: "step-１２３" has the wrong form. '
            "Allowed: text that matches ^step-[0-9]{3}$",
        ),
        ({"ratio": float("inf")}, "- ratio: inf is not a finite number."),
        ({"count": 10}, "- count: Input should be less than or equal to 9; 10 was given."),
        ({"name": 3}, "- name: Input should be a valid string; 3 was given."),
        ({"facts": 3}, "- facts: an object is expected, not 3."),
        ({"steps": {"a": True}}, '- steps: a list is expected, not {"a":true}.'),
        (
            {"size": {}},
            "- size: nothing that is allowed fits: Input should be a valid integer; {} was given; "
            "or a list is expected, not {}.",
        ),
        ({"limits": {"中": "x"}}, '- limits.中: Input should be a valid integer, unable to parse '
            'string as an integer; "x" was given.'),
    ],
)  # fmt: skip
def test_each_fault_names_its_field_and_what_could_stand_there(
    arguments: dict[str, Any], line: str
) -> None:
    assert lines_for(arguments) == [line]


def test_a_chinese_field_name_is_suggested_like_any_other() -> None:
    [line] = lines_for({"标题们": "x"})
    assert line.startswith("- 标题们: unknown field (did you mean 标题?).")


def test_every_faulty_field_has_a_line_of_its_own() -> None:
    lines = lines_for({"name": 3, "count": -1, "steps": [{"title": ""}, {"title": 4}]})
    fields = [line.removeprefix("- ").partition(":")[0] for line in lines]
    assert fields == ["name", "count", "steps[0].title", "steps[1].title"]


def test_ten_problems_are_named_and_the_others_counted() -> None:
    lines = lines_for({f"unknown_{number}": 1 for number in range(25)})
    assert len(lines) == 11
    assert lines[-1] == "- and 15 more"


def test_problems_can_be_read_by_a_program() -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments("plan", PlanInput, {"mode": "x", "nmae": 1})
    [mode, name] = caught.value.problems
    assert (mode.field, mode.allowed) == ("mode", "'draft' or 'final'")
    assert (name.field, name.reason) == ("nmae", "unknown field (did you mean name?).")


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10_000,
        "登录" * 5_000,
        {"k": "v" * 10_000},
        list(range(5_000)),
        "a\nb\r\x00\u2028\u202e",
    ],
)
def test_a_value_is_shown_cut_and_on_one_line(value: Any) -> None:
    [line] = lines_for({"mode": value})
    assert len(line) < 160
    assert line.isprintable()


def test_a_name_is_shown_cut_and_on_one_line() -> None:
    [line] = lines_for({"a\nb" * 4_000: 1})
    assert line.startswith("- a\\nba\\nb")
    assert len(line) < 400


@pytest.mark.parametrize(
    ("value", "shown"),
    [({"v": "\ud800"}, "a value of type dict"), (2**80, "a value of type int")],
)
def test_a_value_that_is_no_json_is_shown_by_its_type(value: Any, shown: str) -> None:
    [line] = lines_for({"mode": value})
    assert f": {shown} is not allowed." in line


def test_a_lone_surrogate_is_shown_as_an_escape() -> None:
    [line] = lines_for({"name": "登\ud800"})
    assert line.endswith('; "登\\ud800" was given.')


def test_nesting_deeper_than_python_recurses_is_an_answer_like_any_other() -> None:
    deep: Any = "bottom"
    for _ in range(900):
        deep = [deep]
    lines = lines_for({"size": deep, "first": None, "name": 1})
    assert [line.partition(":")[0] for line in lines] == ["- name", "- size", "- size[0]"]


def test_nothing_of_the_validator_shows_through() -> None:
    text = "\n".join(
        lines_for({"name": 3, "size": {}, "facts": [], "code": "x", "mode": 1, "first": {"a": 1}})
    )
    assert not any(word in text for word in ("http", "pydantic", "PlanInput", "function-after"))
