"""`devloop-tools policy explain`: the decision, and where the rule stands."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app

AGENTS = """{"templates": [{
  "id": "devloop-coder",
  "cli": {"toolPolicy": [
    "Bash", "bug_*", "write_todolist",
    {"tool": "Bash", "decision": "ask", "when": {"command": "npm publish*"},
     "reason": "发布 needs a person"},
    {"tool": "ns:docs", "decision": "deny"}
  ]}
}]}
"""


@pytest.fixture
def tools_dir(tmp_path: Path) -> Path:
    (tmp_path / "agents.json").write_text(AGENTS, encoding="utf-8")
    return tmp_path


def explain(tools_dir: Path, *words: str) -> Result:
    command = ["policy", "explain", "--agent", "coder", "--tools-dir", str(tools_dir), *words]
    return CliRunner().invoke(app, command)


def explained(tools_dir: Path, *words: str) -> Any:
    result = explain(tools_dir, "--format", "json", *words)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_the_rule_is_told_with_file_line_and_reason(tools_dir: Path) -> None:
    result = explain(tools_dir, "Bash", '{"command": "npm publish --access public"}')
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "ask    Bash for coder",
        "rule   ask Bash when command=npm publish*",
        f"at     {tools_dir}/agents.json:5  templates[0].cli.toolPolicy[3]",
        "reason 发布 needs a person",
        "note   some calls of it need a person's agreement",
    ]


@pytest.mark.parametrize(
    ("words", "decision", "line"),
    [
        (["Bash", '{"command": "ls"}'], "allow", 4),
        (["write_todolist"], "allow", 4),
        (["mcp__devloop__write_todolist"], "allow", 4),
        (["write_chapter"], "deny", 7),
        (["Read"], "deny", 3),
    ],
)
def test_a_program_gets_the_same(
    tools_dir: Path, words: list[str], decision: str, line: int
) -> None:
    trace = explained(tools_dir, *words)
    assert (trace["decision"], trace["line"]) == (decision, line)


def test_a_tool_that_nobody_knows_is_denied_and_told(tools_dir: Path) -> None:
    assert explained(tools_dir, "写章节")["notes"] == ["no tool of this name is known here"]


@pytest.mark.parametrize(("arguments", "said"), [("{", "not JSON"), ("[]", "a JSON object")])
def test_arguments_that_are_no_object_are_said(tools_dir: Path, arguments: str, said: str) -> None:
    result = explain(tools_dir, "Bash", arguments)
    assert result.exit_code == 2
    assert said in result.stderr
