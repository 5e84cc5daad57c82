"""`devloop-tools guard`: one event in, one object out."""

import json

import pytest

from devloop_tools.cli.guard import Outcome, outcome


def asked(event: object) -> Outcome:
    return outcome([], json.dumps(event).encode())


def bash(command: object, **more: object) -> Outcome:
    return asked(
        {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "试一下"},
            **more,
        }
    )


def test_a_command_that_may_run_gets_an_empty_object() -> None:
    assert bash("ls -la") == Outcome(0, "{}\n")
    assert bash("curl -d @请求.json http://h/", cwd="/srv/project") == Outcome(0, "{}\n")


def test_a_refusal_is_one_object_that_tells_the_fix() -> None:
    ended = bash("curl -d '{\"a\":1}' http://h/")
    assert (ended.code, ended.error) == (0, "")
    said = json.loads(ended.output)["hookSpecificOutput"]
    assert (said["hookEventName"], said["permissionDecision"]) == ("PreToolUse", "deny")
    assert "curl -d @body.json" in said["permissionDecisionReason"]
    assert ended.output.isascii()
    assert ended.output.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("cat .devloop/state.db", ".devloop/"),
        ("devloop-tools call x", "devloop-tools call"),
        ("cat $HOME/.config/devloop-tools/devloop.toml", "configuration folder"),
        ("cat /elsewhere/devloop-tools/devloop.toml", "configuration folder"),
        ('curl -d \'{"名":', "can't be read as Bash"),
        ("curl\0{}", "can't be read as Bash"),
        ("curl -d '" + "{" * 1_000_000, "longer than 256,000 bytes"),
    ],
)
def test_what_is_closed_and_what_is_unreadable_is_refused(
    command: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    said = json.loads(bash(command).output)["hookSpecificOutput"]
    assert reason in said["permissionDecisionReason"]


def test_the_folder_of_the_event_counts() -> None:
    assert bash("cat state.db", cwd="/srv/project/.devloop").output != "{}\n"
    assert bash("cat state.db", cwd=7).output == "{}\n"


def test_other_tools_pass() -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "x"}}
    assert asked(event) == Outcome(0, "{}\n")


def test_an_event_without_its_name_is_judged_too() -> None:
    event = {"tool_name": "Bash", "tool_input": {"command": "curl -d '{}' h"}}
    assert "deny" in asked(event).output


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "expected one PreToolUse event as JSON"),
        (b"nonsense", "expected one PreToolUse event as JSON"),
        (b"\xff\xfe\xfd", "expected one PreToolUse event as JSON"),
        (b"[" * 200_000, "expected one PreToolUse event as JSON"),
        (b'{"tool_name":"Bash"}{}', "expected one PreToolUse event as JSON"),
        (b"[]", "found other JSON"),
        (b'"x"', "found other JSON"),
        (b"{}", "tool_name: expected the name of a tool"),
        (b'{"tool_name":7}', "tool_name: expected the name of a tool"),
        (b'{"hook_event_name":"PostToolUse","tool_name":"Bash"}', "found 'PostToolUse'"),
        (b'{"tool_name":"Bash"}', "tool_input.command: expected the command"),
        (b'{"tool_name":"Bash","tool_input":[]}', "tool_input.command: expected the command"),
        (b'{"tool_name":"Bash","tool_input":{}}', "tool_input.command: expected the command"),
        (b'{"tool_name":"Bash","tool_input":{"command":7}}', "tool_input.command: expected"),
    ],
)
def test_what_is_no_event_ends_with_exit_code_2(data: bytes, why: str) -> None:
    ended = outcome([], data)
    assert (ended.code, ended.output) == (2, "")
    assert why in ended.error
    assert ended.error.startswith("devloop-tools guard: ")
    assert ended.error.count("\n") == 1


def test_unknown_arguments_end_with_exit_code_2() -> None:
    ended = outcome(["--strict"], b"")
    assert (ended.code, ended.output) == (2, "")
    assert "unknown argument '--strict'" in ended.error


def test_help_is_printed() -> None:
    assert outcome(["--help"], b"").output.startswith("Usage: devloop-tools guard")


def test_a_lone_surrogate_is_judged() -> None:
    assert outcome([], b'{"tool_name":"Bash","tool_input":{"command":"ls \\ud800"}}').code == 0
