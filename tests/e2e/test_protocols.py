"""The real CLI with each value of `serve --protocol`; docs/protocols.md tells the results."""

import json
import os
import signal
from pathlib import Path

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import Signals
from tests.e2e.messages_stub import Call, Step
from tests.e2e.test_calls import granted
from tests.e2e.test_endings import REPLACE_SLOWLY, WRITE_NEW_PLAN, WRITE_PLAN, steps_of, user

from devloop_tools.launch.mcp_config import PROTOCOL
from devloop_tools.server.era import PROTOCOLS

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes by pidfd"),
]

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def test_the_builder_writes_the_value_that_the_results_speak_for(make_host: MakeHost) -> None:
    host, _ = make_host()
    text = host.cli_args("--agent", "pm", "--format", "json")
    config = json.loads(Path(json.loads(text)["files"][0]).read_bytes())
    assert f"--protocol={PROTOCOL}" in config["mcpServers"]["devloop"]["args"]
    assert PROTOCOL == "legacy"


@every_protocol
def test_calls_land_and_errors_are_read(make_host: MakeHost, project: Path, protocol: str) -> None:
    wrong = Call("mcp__devloop__update_todo_item", {"id": "step-1", "status": "完成"})
    host, model = make_host(Step(calls=(WRITE_PLAN, wrong)))
    run = host.run(host.line_with_protocol("pm", protocol), "计划")
    [server] = run.init["mcp_servers"]
    assert (server["name"], server["status"]) == ("devloop", "connected")
    assert set(granted("pm")) < set(run.init["tools"])
    written, refused = model.results
    assert json.loads(written.text) == {"ok": True, "path": "agent-state/pm-todo.json", "total": 1}
    assert steps_of(project) == ["step-001"]
    assert refused.is_error
    assert "- id:" in refused.text


@every_protocol
def test_an_interrupt_is_a_cancel(slow_host: MakeHost, signals: Signals, protocol: str) -> None:
    host, _ = slow_host(Step(calls=(REPLACE_SLOWLY,)))
    line = host.line_with_protocol("pm", protocol)
    with host.started(line, "--input-format", "stream-json", talking=True) as cli:
        cli.say(user("计划"))
        assert signals.next()[0] == "started"
        request = {"subtype": "interrupt"}
        cli.say({"type": "control_request", "request_id": "stop", "request": request})
        assert signals.next() == ["cancelled"]
        cli.event("result")
        cli.finish()


@every_protocol
def test_a_killed_server_is_started_again(
    slow_host: MakeHost, signals: Signals, protocol: str
) -> None:
    host, model = slow_host(Step(calls=(REPLACE_SLOWLY,)), Step(calls=(WRITE_NEW_PLAN,)))
    with host.started(host.line_with_protocol("pm", protocol), "--", "计划") as cli:
        _, pid = signals.next()
        os.kill(int(pid), signal.SIGKILL)
        cli.finish()
    killed, rewritten = model.results
    assert (killed.text, killed.is_error) == ("Connection closed", True)
    assert json.loads(rewritten.text)["ok"] is True


@every_protocol
def test_a_question_to_a_person_comes_back_although_nobody_is_there(
    slow_host: MakeHost, protocol: str
) -> None:
    host, model = slow_host(Step(calls=(Call("mcp__devloop__ask_a_person"),)))
    host.run(host.line_with_protocol("pm", protocol), "hi")
    [answer] = model.results
    assert (answer.text, answer.is_error) == ("cancel {}", False)


@every_protocol
def test_a_question_reaches_a_host_that_answers_for_a_person(
    slow_host: MakeHost, protocol: str
) -> None:
    host, model = slow_host(Step(calls=(Call("mcp__devloop__ask_a_person"),)))
    line = host.line_with_protocol("pm", protocol)
    with host.started(line, "--input-format", "stream-json", talking=True) as cli:
        cli.say(user("hi"))
        asked = cli.event("control_request")
        assert asked["request"]["subtype"] == "elicitation"
        assert asked["request"]["message"] == "继续吗? Go on?"
        response = {"action": "accept", "content": {"go": True}}
        answer = {"subtype": "success", "request_id": asked["request_id"], "response": response}
        cli.say({"type": "control_response", "response": answer})
        cli.event("result")
        cli.finish()
    [result] = model.results
    assert (result.text, result.is_error) == ('accept {"go": true}', False)
