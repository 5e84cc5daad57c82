"""`devloop-tools guard`: a PreToolUse hook that judges Bash commands.

It is started for each command, so nothing that takes long to import stands on its way. It prints
one JSON object and nothing else; what it can't judge ends with exit code 2, which blocks as well.
"""

import json
import os
import sys
from typing import Any, NamedTuple

from devloop_tools.guard.judgement import Judgement

USAGE = """\
Usage: devloop-tools guard [--agent AGENT [--project-dir DIR] [--unit UNIT] [--tools-dir DIR] ...]

Reads a PreToolUse event of the Claude CLI on stdin and judges its Bash command; with --agent, any
call of a tool of the CLI, by the agent's policy and lists. Prints {} when it may run, and a refusal
with its reason when not. Exit code 2: the input is no such event, or the flags can't be used.
"""


class _NoEvent(Exception):
    """What came in is no event that can be judged; the message says why."""


class Outcome(NamedTuple):
    """How the process ends, and the one thing that it says."""

    code: int
    output: str = ""
    error: str = ""


def run(arguments: list[str]) -> None:
    """Judge the event on stdin; never returns."""
    asked = bool({"--help", "-h"} & set(arguments))
    ended = outcome(arguments, b"" if asked else sys.stdin.buffer.read())
    sys.stdout.write(ended.output)
    sys.stdout.flush()
    sys.stderr.write(ended.error)
    sys.stderr.flush()
    # There is nothing to tidy up, and taking the interpreter apart would be a tenth of the time.
    os._exit(ended.code)


def outcome(arguments: list[str], data: bytes) -> Outcome:
    """What comes of flags and of what stands on stdin; no exception leaves it."""
    if arguments in (["--help"], ["-h"]):
        return Outcome(0, output=USAGE)
    try:
        answer = _answer_for_agent(arguments, data) if arguments else _answer(_event(data))
        return Outcome(0, output=json.dumps(answer) + "\n")
    except _NoEvent as exc:
        why = f"devloop-tools guard: {exc}"
    except Exception as exc:
        # Whatever goes wrong here must not let the command run.
        why = f"devloop-tools guard failed, so the command is blocked: {exc!r:.300}"
    return Outcome(2, error=why.encode("ascii", "backslashreplace").decode() + "\n")


def _event(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise _NoEvent(f"stdin: expected one PreToolUse event as JSON, found none: {exc}") from exc
    if not isinstance(event, dict):
        raise _NoEvent("stdin: expected a PreToolUse event, an object; found other JSON")
    if (kind := event.get("hook_event_name", "PreToolUse")) != "PreToolUse":
        raise _NoEvent(f"hook_event_name: expected PreToolUse, found {kind!r:.100}")
    if not isinstance(event.get("tool_name"), str):
        raise _NoEvent("tool_name: expected the name of a tool, found none")
    return event


def _answer(event: dict[str, Any]) -> dict[str, Any]:
    """What the CLI is told: nothing when the command may run."""
    if event["tool_name"] != "Bash":
        return {}
    arguments = event.get("tool_input")
    command = arguments.get("command") if isinstance(arguments, dict) else None
    if not isinstance(command, str):
        raise _NoEvent("tool_input.command: expected the command as a string, found none")
    return _denial(_judgement(command, event.get("cwd")).reason)


def _answer_for_agent(arguments: list[str], data: bytes) -> dict[str, Any]:
    from devloop_tools.cli.agent_guard import flags_of, reason_to_refuse
    from devloop_tools.registry.errors import LoadError
    from devloop_tools.settings import SettingsError

    try:
        flags = flags_of(arguments)
        return _denial(reason_to_refuse(flags, _event(data)))
    except (LoadError, SettingsError) as exc:
        raise _NoEvent(str(exc)) from exc


def _denial(reason: str) -> dict[str, Any]:
    if not reason:
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


def _judgement(command: str, cwd: object) -> Judgement:
    from devloop_tools.guard.fences import forbidden
    from devloop_tools.guard.judging import judge

    home = os.environ.get("HOME", "")
    configuration = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    judgement = forbidden(
        command,
        folders=(f"{configuration}/devloop-tools",),
        cwd=cwd if isinstance(cwd, str) else "",
        variables={"HOME": home, "XDG_CONFIG_HOME": configuration},
    )
    return judgement if judgement.refused else judge(command)
