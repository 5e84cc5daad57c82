"""The one ruling on a call of the CLI's own tools: policy, paths, patterns, commands."""

from pathlib import Path
from typing import Any

import pytest

from devloop_tools.registry.agents import AgentTemplate, SandboxSettings
from devloop_tools.registry.policy import build_policy
from devloop_tools.registry.sandboxes import sandbox_of
from devloop_tools.server.native_calls import Grounds, rule_on_call

POLICY: list[str | dict[str, Any]] = [
    "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "Bash",
    {"tool": "WebFetch", "decision": "ask"},
    {"tool": "Bash", "decision": "deny", "when": {"command": "npm publish*"}, "reason": "不发布"},
    {"tool": "Write", "decision": "deny", "when": {"file_path": "units/甲/生成/*"}},
    "mcp__web__*",
]  # fmt: skip


@pytest.fixture
def grounds(tmp_path: Path) -> Grounds:
    template = AgentTemplate("coder", sandbox=SandboxSettings(write_allow_list=("units/甲/**",)))
    sandbox = sandbox_of(template, tmp_path, [], "甲")
    return Grounds(build_policy("coder", POLICY, ()), tmp_path, sandbox)


def ruled(grounds: Grounds, tool: str, **arguments: Any) -> tuple[str, str]:
    for name, value in arguments.items():
        if isinstance(value, str):
            arguments[name] = value.replace("{root}", str(grounds.root))
    ruling = rule_on_call(grounds, tool, arguments)
    return ("" if ruling.refused else "passes"), ruling.trace["rule"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": "{root}/units/甲/a.ts", "content": "x"}),
        ("Edit", {"file_path": "units/甲/a.ts"}),
        ("NotebookEdit", {"notebook_path": "units/甲/a.ipynb"}),
        ("Read", {"file_path": "{root}/prd/index.html"}),
        ("Glob", {"pattern": "**/*.ts"}),
        ("Glob", {"pattern": "units/甲/*", "path": "{root}"}),
        ("Glob", {"pattern": "{root}/units/**"}),
        ("Grep", {"pattern": "写|\\.env", "path": "units"}),
        ("Grep", {"pattern": "x", "glob": "*.{ts,tsx}"}),
        ("Bash", {"command": "npm test"}),
        ("mcp__web__search", {"q": "x"}),
    ],
)
def test_what_is_granted_and_inside_the_lists_passes(
    grounds: Grounds, tool: str, arguments: dict[str, Any]
) -> None:
    assert ruled(grounds, tool, **arguments)[0] == "passes"


@pytest.mark.parametrize(
    ("tool", "arguments", "rule"),
    [
        ("Write", {"file_path": "{root}/prd/a"}, "writeAllowList"),
        ("Write", {"file_path": "/etc/passwd"}, "outside"),
        ("Write", {}, "path"),
        ("Write", {"file_path": 3}, "path"),
        (
            "Write",
            {"file_path": "{root}/units/甲/生成/a"},
            "deny Write when file_path=units/甲/生成/*",
        ),
        (
            "Write",
            {"file_path": "units/甲/x/../生成/a"},
            "deny Write when file_path=units/甲/生成/*",
        ),
        ("MultiEdit", {"file_path": "sdd/a"}, "writeAllowList"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "writeAllowList"),
        ("Read", {"file_path": ".env"}, "deny .env*"),
        ("Read", {"file_path": "../x"}, "readAllowList"),
        ("NotebookRead", {"notebook_path": "/a.ipynb"}, "readAllowList"),
        ("Glob", {"pattern": "/etc/*"}, "readAllowList"),
        ("Glob", {"pattern": "../*"}, "readAllowList"),
        ("Glob", {"pattern": "*/../../../*"}, "path"),
        ("Glob", {"pattern": "**/.env"}, "deny .env*"),
        ("Glob", {"pattern": ".e*"}, "deny .env*"),
        ("Glob", {"pattern": "{.devloop,x}/*"}, "deny .devloop"),
        ("Glob", {"pattern": 3}, "path"),
        ("Glob", {"pattern": "*", "path": "/"}, "readAllowList"),
        ("Grep", {"pattern": "x", "path": ".devloop"}, "deny .devloop"),
        ("Grep", {"pattern": "x", "glob": ".*"}, "deny .env*"),
        ("Grep", {"pattern": "x", "path": 3}, "path"),
        ("Bash", {"command": "cat .devloop/state.db"}, "fence"),
        ("Bash", {}, "command"),
        ("Bash", {"command": "curl -d '[1]' http://h/"}, "guard"),
        ("Bash", {"command": "cd a; npm publish"}, "deny Bash when command=npm publish*"),
        ("WebFetch", {"url": "x"}, "ask WebFetch"),
        ("WebSearch", {}, "nothing matched"),
        ("没有", {}, "nothing matched"),
        ("mcp__other__x", {}, "nothing matched"),
    ],
)
def test_everything_else_is_refused_by_a_rule_that_is_told(
    grounds: Grounds, tool: str, arguments: dict[str, Any], rule: str
) -> None:
    assert ruled(grounds, tool, **arguments) == ("", rule)


def test_the_reason_is_for_the_model_and_the_trace_for_the_record(grounds: Grounds) -> None:
    ruling = rule_on_call(grounds, "Write", {"file_path": "prd/a", "content": "x" * 1000})
    assert ruling.reason == "file_path: prd/a: coder may write units/甲/**"
    assert ruling.trace == {
        "tool": "Write",
        "decision": "deny",
        "rule": "writeAllowList",
        "position": "toolPolicy[1]",
        "subject": "prd/a",
        "reason": ruling.reason,
    }
    assert rule_on_call(grounds, "Bash", {"command": "npm publish"}).reason == "不发布"
    assert rule_on_call(grounds, "WebFetch", {}).reason == (
        "a person would have to agree, and no human is available (ask WebFetch)"
    )


def test_a_relative_path_is_below_the_folder_the_cli_is_in(grounds: Grounds) -> None:
    folder = grounds.root / "units/甲"
    assert not rule_on_call(grounds, "Write", {"file_path": "a.ts"}, folder).refused
    assert rule_on_call(grounds, "Write", {"file_path": "../乙/a.ts"}, folder).refused
    assert not rule_on_call(grounds, "Glob", {"pattern": "*"}, folder).refused
    assert rule_on_call(grounds, "Glob", {"pattern": "*"}, Path("/")).refused
