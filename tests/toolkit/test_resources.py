"""@resource: from a function to something that is read by URI."""

from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.resources import read_resource, resource
from devloop_tools.toolkit.testing import tool_context


@resource("test://每个/{种类}/{id}", mime_type="text/markdown")
def each(ctx: ToolContext, 种类: str, id: str) -> str:
    """Something of each kind."""
    return f"{ctx.agent}: {种类} {id}"


@resource("test://a.b+c")
def whole(ctx: ToolContext) -> bytes:
    """Bytes."""
    return b"\0"


def test_a_resource_is_described_by_its_function() -> None:
    assert (each.uri, each.name, each.mime_type) == (
        "test://每个/{种类}/{id}",
        "each",
        "text/markdown",
    )
    assert each.description == "Something of each kind."
    assert each.is_template
    assert not whole.is_template
    assert whole.mime_type == "text/plain"


@pytest.mark.parametrize(
    ("uri", "values"),
    [
        ("test://每个/任务/1", {"种类": "任务", "id": "1"}),
        ("test://每个/%E4%BB%BB%E5%8A%A1/a%20b", {"种类": "任务", "id": "a b"}),
        ("test://每个/a/b%2Fc", {"种类": "a", "id": "b/c"}),
        ("test://每个/a/b?c#d", {"种类": "a", "id": "b?c#d"}),
        ("test://每个/a/b\n", {"种类": "a", "id": "b\n"}),
        ("test://每个/a", None),
        ("test://每个/a/", None),
        ("test://每个//b", None),
        ("test://每个/a/b/c", None),
        ("test://每个/{种类}/{id}", {"种类": "{种类}", "id": "{id}"}),
        ("xtest://每个/a/b", None),
        ("", None),
    ],
)
def test_a_template_takes_names_and_no_paths(uri: str, values: dict[str, str] | None) -> None:
    assert each.match(uri) == values


@pytest.mark.parametrize(
    ("uri", "fits"),
    [
        ("test://a.b+c", True),
        ("test://aXb+c", False),
        ("test://a.bbc", False),
        ("test://a.b", False),
    ],
)
def test_a_whole_uri_takes_itself_alone(uri: str, fits: bool) -> None:
    assert whole.match(uri) == ({} if fits else None)


def test_what_is_read_knows_who_reads(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="architect")
    assert read_resource(each, ctx, {"种类": "任务", "id": "1"}) == "architect: 任务 1"
    assert read_resource(whole, ctx, {}) == b"\0"


def test_a_function_that_takes_other_values_is_refused() -> None:
    def wrong(ctx: ToolContext, other: str) -> str:
        """Wrong."""
        return other

    with pytest.raises(TypeError, match=r"takes \(ctx, id\)"):
        resource("test://{id}")(wrong)


def test_a_function_without_a_docstring_is_refused() -> None:
    def silent(ctx: ToolContext) -> str:
        return ""

    with pytest.raises(TypeError, match="the docstring says what the resource is"):
        resource("test://x")(silent)


def test_values_are_those_of_the_template_and_the_context() -> None:
    def needless(**values: Any) -> str:
        """Takes anything."""
        return str(values)

    with pytest.raises(TypeError, match=r"takes \(ctx\)"):
        resource("test://x")(needless)
