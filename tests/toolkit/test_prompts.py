"""@prompt: from a function to a text that a person starts from."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.content import Text
from devloop_tools.toolkit.prompts import PromptArgument, PromptMessage, prompt
from devloop_tools.toolkit.testing import tool_context

CITY = PromptArgument("城市 city", "Where to.", choices=("北京", "Paris"))
HOW = PromptArgument("how", "How to go there.", required=False)


@prompt(CITY, HOW)
async def travel(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Plan a way."""
    return [PromptMessage("user", Text(f"{ctx.agent}: {args['城市 city']}"))]


def test_a_prompt_is_described_by_its_function() -> None:
    assert (travel.name, travel.description) == ("travel", "Plan a way.")
    assert travel.arguments == (CITY, HOW)
    assert CITY.required
    assert HOW.choices == ()


async def test_it_renders_what_the_function_returns(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, agent="pm")
    [message] = await travel.render({"城市 city": "北京"}, ctx)
    assert message == PromptMessage("user", Text("pm: 北京"))


def test_a_function_without_a_docstring_is_refused() -> None:
    async def silent(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
        return []

    with pytest.raises(TypeError, match="silent: the docstring says what the prompt is for"):
        prompt()(silent)
