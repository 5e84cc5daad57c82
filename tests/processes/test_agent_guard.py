"""`devloop-tools guard --agent`: the whole ruling as a command, within milliseconds. H-K25."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import clean_environment

from devloop_tools.toolkit.testing import recorded_events

POLICY: list[Any] = [
    "Read", "Write", "Bash", "word_counter", "mcp__web__*",
    {"tool": "Bash", "decision": "ask", "when": {"command": "npm publish*"}},
]  # fmt: skip


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    (tmp_path / "项目").mkdir()
    folder = tmp_path / "tools"
    folder.mkdir()
    sandbox = {"writeAllowList": ["units/{unit_id}/**"]}
    template = {"id": "devloop-coder", "cli": {"toolPolicy": POLICY}, "sandbox": sandbox}
    (folder / "agents.json").write_text(json.dumps({"templates": [template]}), encoding="utf-8")
    return folder


def guarded(tools: Path, event: object, *more: str) -> subprocess.CompletedProcess[bytes]:
    words = ["--agent", "coder", "--unit=甲", "--tools-dir", str(tools)]
    words += [f"--project-dir={tools.parent / '项目'}", *more]
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    command = [str(Path(sys.executable).with_name("devloop-tools")), "guard", *words]
    return subprocess.run(
        command, input=data, capture_output=True, env=clean_environment(), timeout=60, check=False
    )


def event(tool: str, **given: Any) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "npm test"}),
        ("Bash", {"command": "curl -d @body.json http://h/"}),
        ("Write", {"file_path": "units/甲/a.ts"}),
        ("Read", {"file_path": "prd/index.html"}),
        ("mcp__web__search", {}),
        ("mcp__devloop__anything", {}),
    ],
)
def test_what_may_run_gets_an_empty_object(tools: Path, tool: str, given: dict[str, Any]) -> None:
    done = guarded(tools, event(tool, **given))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")
    assert not (tools.parent / "项目" / ".devloop").exists()


@pytest.mark.parametrize(
    ("tool", "given", "words", "rule"),
    [
        ("Bash", {"command": "curl -d '{\"a\":1}' http://h/"}, "through a file", "guard"),
        ("Bash", {"command": "npm publish"}, "no human is available", "ask Bash when "),
        ("Bash", {"command": "cat .devloop/state.db"}, ".devloop/", "fence"),
        ("Write", {"file_path": "units/乙/a.ts"}, "coder may write units/甲/**", "writeAllowList"),
        ("Read", {"file_path": ".env"}, ".env* is closed to reading", "deny .env*"),
        ("WebFetch", {}, "WebFetch is not granted to coder", "nothing matched"),
    ],
)
def test_a_refusal_is_one_object_and_is_recorded_with_its_rule(
    tools: Path, tool: str, given: dict[str, Any], words: str, rule: str
) -> None:
    done = guarded(tools, event(tool, **given))
    assert (done.returncode, done.stderr) == (0, b"")
    decision = json.loads(done.stdout)["hookSpecificOutput"]
    assert decision["permissionDecision"] == "deny"
    assert words in decision["permissionDecisionReason"]
    [recorded] = recorded_events(tools.parent / "项目")
    assert (recorded.type, recorded.agent, recorded.unit_id) == ("policy.refused", "coder", "甲")
    assert recorded.call_id == "toolu_1"
    assert recorded.data["rule"].startswith(rule)
    assert recorded.data["line"] == 1


@pytest.mark.parametrize(
    ("data", "more", "said"),
    [
        (b"", (), "stdin: expected one PreToolUse event"),
        ({"tool_name": "Bash"}, (), "tool_input: expected the call's arguments"),
        (event("Bash"), ("--strict",), "unknown argument '--strict'; there are: --agent, "),
        (event("Bash"), ("--unit",), "--unit: a value is expected behind it"),
        (event("Bash"), ("--agent=写手",), "unknown agent: 写手; "),
        (event("Bash"), ("--project-dir=/no/such",), "the project folder /no/such does not exist"),
    ],
)
def test_what_can_not_be_judged_blocks_by_its_exit_code(
    tools: Path, data: object, more: tuple[str, ...], said: str
) -> None:
    done = guarded(tools, data, *more)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode("unicode_escape" if b"\\u" in done.stderr else "utf-8")


def test_nothing_heavy_is_imported_on_the_way(tools: Path) -> None:
    flags = [
        "--agent",
        "coder",
        "--unit=a",
        f"--tools-dir={tools}",
        f"--project-dir={tools.parent}",
    ]
    program = (
        "import sys, devloop_tools.cli.guard as guard\n"
        'data = b\'{"tool_name":"Write","tool_input":{"file_path":"units/a/b"}}\'\n'
        f"assert guard.outcome({flags!r}, data).output == '{{}}\\n'\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, env=clean_environment(), check=True, timeout=60,
    )  # fmt: skip
    heavy = {"typer", "pydantic", "orjson", "anyio", "asyncio", "sqlite3", "tree_sitter"}
    assert heavy & set(done.stdout.split()) == set()
