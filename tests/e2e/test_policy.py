"""The real CLI under a policy: what runs, what is refused with which words, also in a subagent."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import Host, Line
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
        *["fence"] * len(ESCAPES),
        "deny tools.d",
        "deny .claude",
    ]
    assert "in your permission settings" in model.results[6].text


def test_call_refuses_by_itself_below_the_agents_cli(under_policy: MakeHost, project: Path) -> None:
    # Spelled so that no fence sees it: the name is put together by the program.
    words = ["x", "call", "timeline_append", '{"event": "x"}', "--agent", "pm"]
    program = f"import runpy, sys; sys.argv = {words!r}; "
    program += "runpy.run_module('devloop' + '_tools', run_name='__main__')"
    hidden = shlex.join([sys.executable, "-c", program])
    host, model = under_policy(Step(calls=(Call("Bash", {"command": hidden}),)))
    host.run(host.line("coder"), "go")
    [result] = model.results
    assert result.is_error
    assert "call is for the people who run the agents, and coder's CLI has started it" in (
        result.text
    )
    assert not (project / "timeline.ndjson").exists()


def test_json_in_a_command_is_refused_with_the_way_that_works(
    under_policy: MakeHost, project: Path
) -> None:
    """H-K01"""
    command = "touch ran; curl -s -d '{\"名\": 1}' http://127.0.0.1:9/x"
    host, model = under_policy(Step(calls=(Call("Bash", {"command": command}),)))
    host.run(host.line("coder"), "go")
    [result] = model.results
    assert "JSON goes through a file" in result.text
    assert not (project / "ran").exists()
    assert refusals(project) == [("Bash", "guard")]


@pytest.mark.parametrize("mode", ["bypassPermissions", "acceptEdits", "dontAsk"])
def test_no_permission_mode_goes_past_the_hook(
    mode: str, under_policy: MakeHost, project: Path
) -> None:
    outside = Call("Write", {"file_path": str(project / "sdd/a.md"), "content": "x"})
    shell = Call("Bash", {"command": "touch prd.txt"})
    host, model = under_policy(*(Step(calls=(call,)) for call in (outside, shell)))
    line = host.line("pm")
    argv = [word for word in line.argv if not word.startswith("--permission-mode")]
    # The CLI lets root skip permissions in a sandbox alone.
    env = {**line.env, "IS_SANDBOX": "1"}
    host.run(Line([*argv, f"--permission-mode={mode}"], env), "go")
    assert [result.is_error for result in model.results] == [True, True]
    assert "pm may write prd/**" in model.results[0].text
    assert NO_HUMAN in model.results[1].text
    assert not (project / "sdd").exists()
    assert not (project / "prd.txt").exists()


def broken(line: Line, change: Callable[[Json], None]) -> Line:
    """The same command line, its settings changed."""
    flag = next(word for word in line.argv if word.startswith("--settings="))
    file = Path(flag.partition("=")[2])
    settings = json.loads(file.read_bytes())
    change(settings["hooks"]["PreToolUse"][0]["hooks"][0])
    file.write_text(json.dumps(settings), encoding="utf-8")
    return line


@pytest.mark.parametrize(
    "change",
    [
        {"tool": "no_such_tool"},
        {"server": "no_such_server"},
        {"input": {"tool_name": "${tool_name}"}},
        {"type": "command", "command": "kill -9 $$"},
        {"type": "command", "command": "/no/such/hook"},
    ],
    ids=["no tool", "no server", "no input", "killed", "not there"],
)
def test_a_hook_that_fails_blocks_the_call(
    change: Json, under_policy: MakeHost, project: Path
) -> None:
    write = Call("Write", {"file_path": str(project / "prd/a.md"), "content": "x"})
    host, model = under_policy(Step(calls=(write,)))
    host.run(broken(host.line("pm"), lambda hook: hook.update(change)), "go")
    [result] = model.results
    assert result.is_error
    assert not (project / "prd").exists()


def test_a_server_that_is_killed_between_hook_and_call_opens_nothing(
    under_policy: MakeHost, project: Path
) -> None:
    write = Call("Write", {"file_path": str(project / "sdd/a.md"), "content": "x"})
    append = own("timeline_append", event="after")
    steps = [Step(calls=(own("timeline_append", event="before"),)), Step(calls=(write, append))]
    host, model = under_policy(*steps)
    killed: list[int] = []

    def script(request: Json) -> list[Step]:
        spoken = sum(message["role"] == "assistant" for message in request["messages"])
        if spoken == 1 and not killed:
            # The first call has been answered; the server dies before the next hook.
            killed.append(server_of(project))
            os.kill(killed[0], signal.SIGKILL)
        return steps

    model.script = script
    host.run(host.line("pm"), "go")
    before, written, after = model.results
    assert not before.is_error
    assert written.is_error
    assert not (project / "sdd").exists()
    assert len(killed) == 1
    lines = (project / "timeline.ndjson").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line)["event"] for line in lines]
    # The CLI starts the server again for the next call, or tells the model that it is gone.
    assert events == (["before"] if after.is_error else ["before", "after"])


def server_of(project: Path) -> int:
    """The server's pid, found by its project among this user's processes."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--for-cli" in words and f"--project-dir={project}".encode() in words:
            return int(folder.name)
    raise AssertionError("no server runs")
