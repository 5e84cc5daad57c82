"""What `@tool` makes of a function, and which functions it refuses."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from devloop_tools.toolkit import READ, WRITE, Done, Refused, ToolContext, ToolInput, tool
from devloop_tools.toolkit.arguments import ModelArguments
from devloop_tools.toolkit.definition import MAX_DESCRIPTION, MAX_NAME


class EchoInput(ToolInput):
    text: str = Field(min_length=1, max_length=10, description="What to say.")


class OtherInput(BaseModel):
    text: str


class Said(Done):
    text: str


@tool(READ)
def echo(args: EchoInput, ctx: ToolContext) -> Said | Refused:
    """Say it again.

    Twice if need be, 也可以用中文。
    """
    return Said(text=args.text)


@tool(WRITE)
async def echo_later(args: EchoInput, ctx: ToolContext) -> str:
    """Say it in prose."""
    return args.text


def test_the_functions_name_and_docstring_become_the_tools() -> None:
    assert echo.name == "echo"
    assert echo.description == "Say it again.\n\nTwice if need be, 也可以用中文。"
    assert echo.arguments == ModelArguments(EchoInput)


def test_annotations_say_what_a_call_may_do() -> None:
    assert (READ.read_only, READ.destructive, READ.idempotent) == (True, False, True)
    assert (WRITE.read_only, WRITE.destructive) == (False, False)
    assert echo.annotations is READ


def test_plain_and_async_functions_are_told_apart() -> None:
    assert not echo.is_async
    assert echo_later.is_async


def test_a_result_that_is_a_model_is_published_and_prose_is_not() -> None:
    assert echo.output_schema_declared
    assert echo.output_schema() is not None
    assert not echo_later.output_schema_declared
    assert echo_later.output_schema() is None


def test_the_arguments_are_published_as_an_object() -> None:
    assert echo.input_schema()["properties"]["text"] == {
        "description": "What to say.", "maxLength": 10, "minLength": 1, "type": "string"
    }  # fmt: skip


def _wrong_order(ctx: ToolContext, args: EchoInput) -> Said:
    """Text."""
    raise NotImplementedError


def _no_context(args: EchoInput) -> Said:
    """Text."""
    raise NotImplementedError


def _no_annotation(args, ctx: ToolContext) -> Said:  # type: ignore[no-untyped-def]  # noqa: ANN001  # the fault
    """Text."""
    raise NotImplementedError


def _takes_extras(args: OtherInput, ctx: ToolContext) -> Said:
    """Text."""
    raise NotImplementedError


def _no_object(args: dict[str, Any], ctx: ToolContext) -> Said:
    """Text."""
    raise NotImplementedError


def _no_return(args: EchoInput, ctx: ToolContext):  # type: ignore[no-untyped-def]  # noqa: ANN202  # the fault
    """Text."""
    raise NotImplementedError


def _no_docstring(args: EchoInput, ctx: ToolContext) -> Said:
    raise NotImplementedError


def _yields(args: EchoInput, ctx: ToolContext) -> Said:  # type: ignore[misc]  # the fault
    """Text."""
    yield Said(text="")


async def _yields_later(args: EchoInput, ctx: ToolContext) -> str:  # type: ignore[misc]  # the fault
    """Text."""
    yield ""


def _names_nobody(args: "没有", ctx: ToolContext) -> str:  # type: ignore[name-defined]  # noqa: F821  # the fault
    """Text."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (_yields, "returns its result once; it doesn't yield"),
        (_yields_later, "returns its result once; it doesn't yield"),
        (_names_nobody, "name '没有' is not defined; a signature's types are defined or imported"),
        (_wrong_order, r"takes \(args, ctx\), not \(ctx, args\)"),
        (_no_context, r"takes \(args, ctx\), not \(args\)"),
        (_no_annotation, "args must be annotated with a ToolInput"),
        (_takes_extras, "args must be annotated with a ToolInput"),
        (_no_object, "args must be annotated with a ToolInput"),
        (_no_return, "the return annotation is the output schema"),
        (_no_docstring, "the docstring is what the model reads"),
    ],
)
def test_a_function_that_is_no_tool_is_refused_by_name(
    function: Callable[..., Any], text: str
) -> None:
    with pytest.raises(TypeError, match=f"{function.__name__}: .*{text}"):
        tool(READ)(function)


def test_a_decorator_that_was_not_told_what_a_call_may_do_says_so() -> None:
    with pytest.raises(TypeError, match=r"_named: write @tool\(READ\) or @tool\(WRITE\)"):
        tool(_named)  # type: ignore[arg-type]  # the fault


def _named(name: str, docstring: str) -> Callable[..., Any]:
    def function(args: EchoInput, ctx: ToolContext) -> Said:
        raise NotImplementedError

    function.__name__, function.__doc__ = name, docstring
    return function


def test_names_and_descriptions_have_bounds() -> None:
    assert tool(READ)(_named("n" * MAX_NAME, "d" * MAX_DESCRIPTION)).name == "n" * MAX_NAME
    with pytest.raises(TypeError, match="at most 50 characters"):
        tool(READ)(_named("n" * (MAX_NAME + 1), "text"))
    with pytest.raises(TypeError, match="write 1 to 4096 characters"):
        tool(READ)(_named("short", "d" * (MAX_DESCRIPTION + 1)))
