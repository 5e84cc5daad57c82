"""`devloop-tools launch` with the real CLI: one granted and one ungranted thing for each agent."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import LONGEST_RUN_S, Finished, Host, Signals
from tests.e2e.messages_stub import Call, Step
from tests.e2e.test_endings import Watched, started

from devloop_tools.toolkit.testing import recorded_events

pytestmark = pytest.mark.e2e

AGENTS = ("pm", "architect", "coder", "tester", "integrator", "bug-triager")
GRANTED = Call("mcp__devloop__timeline_append", {"event": "unit.built", "summary": "好"})
EVERYWHERE = Call("Read", {"file_path": "/etc/hostname"})


def launching(host: Host, *words: str, tools_dir: Path | None = None) -> list[str]:
    """The command line of a `launch`."""
    place = ["--project-dir", str(host.project), "--claude", host.claude]
    place += ["--tools-dir", str(tools_dir)] if tools_dir else []
    at = words.index("--") if "--" in words else len(words)
    return [sys.executable, "-m", "devloop_tools", "launch", *words[:at], *place, *words[at:]]


def environment_of(host: Host) -> dict[str, str]:
    return {
        **host.environment,
        "XDG_RUNTIME_DIR": str(host.scratch),
        "XDG_STATE_HOME": str(host.scratch / "state"),
    }


def launched(host: Host, *words: str, tools_dir: Path | None = None, said: str = "") -> Finished:
    """`launch` in an environment of its own, to its end."""
    done = subprocess.run(
        launching(host, *words, tools_dir=tools_dir),
        env=environment_of(host),
        cwd=host.project,
        input=said.encode(),
        capture_output=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return Finished(events, done.returncode, done.stderr.decode())


def unit_of(agent: str) -> Sequence[str]:
    return ("--unit", "todo-be") if agent in ("coder", "tester") else ()


def left_over(host: Host) -> list[str]:
    return os.listdir(host.scratch / "devloop-tools")


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_does_what_it_is_granted_and_nothing_else(
    agent: str, make_host: MakeHost, project: Path
) -> None:
    outside = Call("Write", {"file_path": str(project / "elsewhere.md"), "content": "x"})
    ungranted = Call("Bash", {"command": "touch elsewhere.md"})
    tries = (GRANTED, EVERYWHERE, outside, ungranted)
    host, model = make_host(*(Step(calls=(call,)) for call in tries))
    run = launched(host, agent, "请做 it", *unit_of(agent))
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert run.init["mcp_servers"][0]["status"] == "connected"
    granted, everywhere, written, bash = model.results
    assert json.loads(granted.text) == {"ok": True, "seq": 1}
    assert "outside the project folder and what readAllowList adds" in everywhere.text
    assert written.is_error
    if agent not in ("coder", "tester", "integrator"):
        assert "No such tool available: Bash" in bash.text
        assert not (project / "elsewhere.md").exists()
    refused = [event for event in recorded_events(project) if event.type == "policy.refused"]
    assert {event.agent for event in refused} == {agent}
    assert refused[0].data["rule"] == "readAllowList"
    assert left_over(host) == []


def test_what_the_cli_does_not_offer_is_said_at_once(make_host: MakeHost, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    template = {"id": "pm", "cli": {"toolPolicy": ["Read", "SlashCommand", "write_todolist"]}}
    (tools / "agents.json").write_text(json.dumps({"templates": [template]}))
    host, _ = make_host(Step("never"))
    run = launched(host, "pm", "go", tools_dir=tools)
    assert run.returncode == 1
    assert run.stderr == (
        "devloop-tools: the CLI does not offer what the policy grants: SlashCommand; "
        "devloop-tools doctor says more\n"
    )
    assert left_over(host) == []


def test_a_flag_that_can_not_be_used_is_said_before_anything_starts(make_host: MakeHost) -> None:
    host, _ = make_host(Step("never"))
    run = launched(host, "pm", "go", "--unit", "a b")
    assert run.returncode == 2
    assert "--unit: 'a b' is no name" in run.stderr


def test_a_prompt_longer_than_a_command_line_reaches_the_model_whole(make_host: MakeHost) -> None:
    prompt = "--计划 the page.\n" * 20_000 + "完 end"
    host, model = make_host()
    run = launched(host, "pm", "-", said=prompt)
    assert run.returncode == 0, run.stderr
    [*_, last] = model.requests[0]["messages"][0]["content"]
    assert last["text"] == prompt


def test_words_behind_two_dashes_reach_the_cli_and_never_take_the_hook_away(
    make_host: MakeHost,
) -> None:
    host, model = make_host()
    run = launched(host, "pm", "go", "--", "--append-system-prompt=另外 this")
    assert "另外 this" in json.dumps(model.requests[0]["system"], ensure_ascii=False)
    assert run.returncode == 0
    refused = launched(host, "pm", "go", "--", "--bare")
    assert refused.returncode == 2
    assert refused.stderr.startswith("devloop-tools: --bare: takes the hook away")


def test_configuration_inside_the_project_is_accepted_by_its_digest(
    make_host: MakeHost, project: Path
) -> None:
    tools = project / "配置"
    tools.mkdir()
    agents = tools / "agents.json"
    agents.write_text('{"templates": [{"id": "pm", "cli": {"toolPolicy": ["Read"]}}]}')
    host, _ = make_host()
    first = launched(host, "pm", "go", tools_dir=tools)
    assert first.returncode == 2
    assert "+ new: agents.json" in first.stderr
    digest = first.stderr.split()[-1]
    assert launched(host, "pm", "go", "--accept-config", digest, tools_dir=tools).returncode == 0
    agents.write_text(agents.read_text().replace('"Read"', '"Read", "Bash"'))
    changed = launched(host, "pm", "go", "--accept-config", digest, tools_dir=tools)
    assert changed.returncode == 2
    assert '+{"templates": [{"id": "pm", "cli": {"toolPolicy": ["Read", "Bash"]}}]}' in (
        changed.stderr
    )


def test_an_older_cli_is_refused(make_host: MakeHost, tmp_path: Path) -> None:
    old = tmp_path / "claude"
    old.write_text("#!/bin/sh\necho '2.1.197 (Claude Code)'\n")
    old.chmod(0o755)
    host, _ = make_host()
    host.claude = str(old)
    run = launched(host, "pm", "go")
    assert run.returncode == 2
    assert "is 2.1.197; before 2.1.332 a hook that fails does not block" in run.stderr
    assert left_over(host) == []


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_a_launch_that_is_killed_leaves_neither_cli_nor_server(
    slow_host: MakeHost, project: Path, signals: Signals
) -> None:
    host, _ = slow_host(Step(calls=(Call("mcp__devloop__replace_slowly"),)))
    command = launching(host, "pm", "计划", tools_dir=host.tools_dir)
    with subprocess.Popen(
        command, env=environment_of(host), cwd=project, stdout=subprocess.DEVNULL
    ) as launch:
        server = started(signals)
        cli = Watched(psutil.Process(server.pid).ppid())
        assert psutil.Process(cli.pid).ppid() == launch.pid
        launch.kill()
    ended = cli.ended()
    if not ended:
        os.kill(cli.pid, signal.SIGKILL)
    assert ended
    assert server.ended()
