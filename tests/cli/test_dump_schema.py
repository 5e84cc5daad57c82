"""`devloop-tools dump-schema`: the same definitions for every reader."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app

AGENTS = ["pm", "architect", "coder", "tester", "integrator", "bug-triager"]
PERSISTENCE = [
    "record_memory",
    "timeline_append",
    "update_runtime_state",
    "update_todo_item",
    "write_todolist",
]
PACK = '''
from pydantic import Field

from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class Shape(ToolInput):
    side: float = Field(gt=0, le=10, description="长度 | length")


class MeasureInput(ToolInput):
    shapes: list[Shape] = Field(min_length=1, description="One line\\nand another.")
    name: str = Field(min_length=1, description="名字")
    size: int | str = Field(default=3, description="")
    count: int = Field(default=1, ge=1, le=9, description="How many.")


class NothingInput(ToolInput):
    pass


@tool(READ)
def measure(args: MeasureInput, ctx: ToolContext) -> str:
    """测量 shapes."""
    return ""


@tool(READ)
def a_nothing(args: NothingInput, ctx: ToolContext) -> str:
    """Take nothing."""
    return ""
'''


@pytest.fixture
def tools_dir(tmp_path: Path) -> str:
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs/shapes.py").write_text(PACK, encoding="utf-8")
    agents = {
        "templates": [
            {"id": "devloop-pm", "cli": {"toolPolicy": ["measure"]}},
            {"id": "devloop-coder", "cli": {"toolPolicy": ["wirte_todolist"]}},
        ]
    }
    (tmp_path / "agents.json").write_text(json.dumps(agents), encoding="utf-8")
    return str(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["dump-schema", *words])


def parsed(*words: str) -> Any:
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_sees_what_it_is_granted_and_needs_no_unit(agent: str) -> None:
    names = [tool["name"] for tool in parsed("--agent", agent)["tools"]]
    assert names == sorted(names)
    assert set(PERSISTENCE) <= set(names)
    assert ("hash_contract" in names) == (agent != "pm")


def test_without_an_agent_everything_is_there(tools_dir: str) -> None:
    names = [tool["name"] for tool in parsed("--tools-dir", tools_dir)["tools"]]
    assert names == sorted(names)
    assert {"a_nothing", "measure", *PERSISTENCE} <= set(names)


def test_the_forms_of_two_apis_hold_the_same_schema(tools_dir: str) -> None:
    words = ("--agent", "devloop-pm", "--tools-dir", tools_dir, "--format")
    (mcp,) = parsed(*words, "mcp")["tools"]
    (anthropic,) = parsed(*words, "anthropic")
    (openai,) = parsed(*words, "openai")
    assert anthropic == {
        "name": "measure",
        "description": "测量 shapes.",
        "input_schema": mcp["inputSchema"],
    }
    assert openai == {
        "type": "function",
        "function": {
            "name": "measure",
            "description": "测量 shapes.",
            "parameters": mcp["inputSchema"],
        },
    }


def test_markdown_has_a_row_for_each_field_whatever_its_texts_hold(tools_dir: str) -> None:
    result = run("--agent", "pm", "--tools-dir", tools_dir, "--format", "markdown")
    assert result.stdout == (
        "# Tools\n\n## measure\n\n测量 shapes.\n\n_pack:shapes, reads only_\n\n"
        "| argument | type | required | what it is |\n|---|---|---|---|\n"
        "| `shapes` | array of object | yes | One line and another. (at least 1 items) |\n"
        "| `shapes[].side` | number | yes | 长度 \\| length (at most 10; more than 0) |\n"
        "| `name` | string | yes | 名字 (at least 1 characters) |\n"
        "| `size` | integer or string | no | (default `3`) |\n"
        "| `count` | integer | no | How many. (1 to 9; default `1`) |\n"
    )


def test_markdown_says_where_there_are_no_arguments(tools_dir: str) -> None:
    text = run("--tools-dir", tools_dir, "--format", "markdown").stdout
    assert "## a_nothing\n\nTake nothing.\n\n_pack:shapes, reads only_\n\nNo arguments.\n" in text
    assert "_persistence, writes_" in text


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("boss", "unknown agent: boss"),
        ("coder", "unknown tool: wirte_todolist (did you mean write_todolist?)"),
    ],
)
def test_what_cannot_be_loaded_is_one_line_and_exit_code_2(
    agent: str, reason: str, tools_dir: str
) -> None:
    result = run("--agent", agent, "--tools-dir", tools_dir)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
