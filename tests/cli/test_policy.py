"""`devloop-tools policy explain`: the decision, and where the rule stands."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app
from devloop_tools.cli.guard import outcome

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
    command += ["--unit", "todo-be"]
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


CALLS = [
    ("Write", {"file_path": "units/todo-be/main.ts"}, "allow"),
    ("Write", {"file_path": "units/other/main.ts"}, "deny"),
    ("Write", {"file_path": "/etc/passwd"}, "deny"),
    ("Write", {"file_path": "units/todo-be/.env"}, "deny"),
    ("Write", {}, "deny"),
    ("Read", {"file_path": ".devloop/state.db"}, "deny"),
    ("Read", {"file_path": "说明.md"}, "allow"),
    ("Glob", {"pattern": "/etc/*"}, "deny"),
    ("Bash", {"command": "rm -r .devloop"}, "deny"),
    ("Bash", {"command": "ls"}, "allow"),
    ("WebFetch", {"url": "http://localhost"}, "deny"),
]


@pytest.mark.parametrize(("tool", "arguments", "decision"), CALLS)
def test_a_call_of_the_clis_own_tools_gets_the_ruling_of_the_hook(
    tmp_path: Path, tool: str, arguments: dict[str, str], decision: str
) -> None:
    event = json.dumps({"tool_name": tool, "tool_input": arguments}).encode()
    where = ["--project-dir", str(tmp_path), "--unit", "todo-be"]
    hook = outcome(["--agent", "coder", *where], event)
    command = ["policy", "explain", "--agent", "coder", *where, "--format", "json", tool]
    told = json.loads(CliRunner().invoke(app, [*command, json.dumps(arguments)]).stdout)
    assert told["decision"] == decision
    denial = json.loads(hook.output).get("hookSpecificOutput", {})
    assert denial.get("permissionDecisionReason", "") == told.get("reason", "")


def test_a_ruling_by_arguments_is_told_apart_from_the_policys(tmp_path: Path) -> None:
    command = ["policy", "explain", "--agent", "pm", "--project-dir", str(tmp_path), "Write"]
    assert CliRunner().invoke(app, command).stdout.startswith("allow  Write for pm\n")
    said = CliRunner().invoke(app, [*command, '{"file_path": "/etc/passwd"}']).stdout.splitlines()
    assert [line[:7].strip() for line in said] == ["deny", "rule", "at", "reason", "note"]
    assert said[1] == "rule   outside"
    assert "outside the project folder" in said[3]


def test_a_unit_is_asked_for_where_the_ruling_depends_on_it(tmp_path: Path) -> None:
    where = ["--project-dir", str(tmp_path)]
    command = ["policy", "explain", "--agent", "coder", *where, "Write", '{"file_path": "a"}']
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert "--unit is missing" in result.stderr
