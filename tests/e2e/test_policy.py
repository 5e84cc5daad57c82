"""The real CLI under a policy: what runs, what is refused with which words, also in a subagent."""

import json
from pathlib import Path

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import Host
from tests.e2e.messages_stub import Call, Json, MessagesStub, Step, ToolResult

from devloop_tools.toolkit.testing import recorded_events

pytestmark = pytest.mark.e2e

POLICY_TOOLS = Path(__file__).parent / "policy_tools"

NO_HUMAN = "a person would have to agree, and no human is available"
ITEM = {"id": "step-001", "description": "写"}


def own(tool: str, **arguments: object) -> Call:
    return Call(f"mcp__devloop__{tool}", arguments)


def calls_of(project: Path) -> tuple[Call, ...]:
    """Each decision for a native tool and for one of ours."""
    return (
        Call("Write", {"file_path": str(project / "prd/a.md"), "content": "好"}),
        Call("Bash", {"command": "touch prd/by-bash"}),
        Call("Glob", {"pattern": "*"}),
        own("timeline_append", event="unit.built"),
        own("record_memory", topic="t", content="c"),
        own("write_todolist", items=[{"id": "step-666", "description": "x"}]),
        own("update_runtime_state", patch={"a": 1}),
        own("write_todolist", items=[ITEM]),
    )


EXPECTED = (
    (False, "File created successfully"),
    (True, f"{NO_HUMAN} (a shell needs a person, 需要人)"),
    (True, "No such tool available: Glob"),
    (False, '"ok":true'),
    (True, f"record_memory was not run: {NO_HUMAN}"),
    (True, "write_todolist was not run: not step 666, 不行"),
    (False, '"ok":true'),
    (False, '"ok":true'),
)


@pytest.fixture
def under_policy(make_host: MakeHost) -> MakeHost:
    def make(*steps: Step) -> tuple[Host, MessagesStub]:
        host, stub = make_host(*steps)
        host.tools_dir = POLICY_TOOLS
        return host, stub

    return make


def assert_as_expected(results: list[ToolResult]) -> None:
    assert len(results) == len(EXPECTED)
    for result, (is_error, words) in zip(results, EXPECTED, strict=True):
        assert result.is_error == is_error, result
        assert words in result.text.replace('": ', '":')


def refusals(project: Path) -> list[tuple[str, str]]:
    return [
        (event.data["tool"], event.data["rule"])
        for event in recorded_events(project)
        if event.type == "policy.refused"
    ]


def test_every_decision_for_a_native_tool_and_for_one_of_ours(
    under_policy: MakeHost, project: Path
) -> None:
    host, model = under_policy(*(Step(calls=(call,)) for call in calls_of(project)))
    run = host.run(host.line("pm"), "go")
    assert_as_expected(model.results)
    assert (project / "prd/a.md").read_text(encoding="utf-8") == "好"
    assert not (project / "prd/by-bash").exists()
    assert refusals(project) == [
        ("Bash", "ask Bash"),
        ("record_memory", "ask record_memory"),
        ("write_todolist", "deny write_todolist when items=step-666"),
    ]
    assert run.returncode == 0


def test_the_same_inside_a_subagent(under_policy: MakeHost, project: Path) -> None:
    ask = {"description": "sub", "prompt": "SUBAGENT: do it", "subagent_type": "general-purpose"}
    host, model = under_policy()
    steps = [Step(calls=(call,)) for call in calls_of(project)]
    start = Step(calls=(Call("Agent", {**ask, "run_in_background": False}),))
    model.script = lambda request: steps if "SUBAGENT" in first_words(request) else [start]
    host.run(host.line("pm"), "go")
    inside = [request for request in model.requests if "SUBAGENT" in first_words(request)]
    assert_as_expected(model.results_in(inside[-1]))
    assert ("Bash", "ask Bash") in refusals(project)
    assert not (project / "prd/by-bash").exists()


def first_words(request: Json) -> str:
    return json.dumps(request["messages"][0])


def test_paths_are_held_to_the_lists_and_owned_files_to_their_tools(
    under_policy: MakeHost, project: Path
) -> None:
    (project / ".env").write_text("SECRET=abc\n")
    (project / "a.txt").write_text("SECRET of nobody\n")
    calls = (
        Call("Write", {"file_path": str(project / "sdd/a.md"), "content": "x"}),
        Call("Write", {"file_path": str(project / "timeline.ndjson"), "content": "x"}),
        Call("Write", {"file_path": str(project.parent / "out"), "content": "x"}),
        Call("Read", {"file_path": "/etc/hostname"}),
        Call("Read", {"file_path": str(project / ".env")}),
        Call("Grep", {"pattern": "SECRET", "output_mode": "content"}),
        Call("Grep", {"pattern": "SECRET", "glob": ".env*", "output_mode": "content"}),
    )
    host, model = under_policy(*(Step(calls=(call,)) for call in calls))
    host.run(host.line("pm"), "go")
    texts = [result.text for result in model.results]
    assert "pm may write prd/**" in texts[0]
    assert "timeline.ndjson is written by timeline_append; call that tool instead" in texts[1]
    assert "it lies outside the project folder" in texts[2]
    assert "outside the project folder and what readAllowList adds" in texts[3]
    # Closed in the CLI's own settings too, which is what keeps Grep from looking into it.
    assert "denied by your permission settings" in texts[4]
    assert "SECRET of nobody" in texts[5]
    assert "abc" not in texts[5]
    assert ".env* is closed to reading" in texts[6]
    assert not (project / "sdd").exists()
    assert not (project.parent / "out").exists()


ESCAPES = (
    "devloop-tools approvals list",
    "devloop-tools call write_todolist --agent pm",
    "python -m devloop_tools call write_todolist --agent pm",
    "sqlite3 .devloop/state.db 'delete from events'",
    "echo '{}' > tools.d/agents.json",
)


def test_an_agent_does_not_reach_what_decides_about_it(
    under_policy: MakeHost, project: Path
) -> None:
    (project / "tools.d").mkdir()
    agents = project / "tools.d/agents.json"
    agents.write_bytes((POLICY_TOOLS / "agents.json").read_bytes())
    before = agents.read_bytes()
    writes = (
        Call("Write", {"file_path": str(agents), "content": "{}"}),
        Call("Write", {"file_path": str(project / ".devloop/state.db"), "content": "{}"}),
        Call("Write", {"file_path": str(project / ".claude/settings.json"), "content": "{}"}),
    )
    calls = (*(Call("Bash", {"command": command}) for command in ESCAPES), *writes)
    host, model = under_policy(*(Step(calls=(call,)) for call in calls))
    host.tools_dir = project / "tools.d"
    host.run(host.line("coder"), "go")
    assert [result.is_error for result in model.results] == [True] * len(calls)
    assert agents.read_bytes() == before
    rules = [rule for _, rule in refusals(project)]
    assert rules == [
        "closed devloop-tools approvals",
        "closed devloop-tools call",
        "closed devloop-tools call",
        "closed .devloop",
        "closed tools.d",
        "deny tools.d",
        "deny .claude",
    ]
    assert "in your permission settings" in model.results[6].text
