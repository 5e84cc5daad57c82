"""`devloop-tools guard`: a PreToolUse hook that judges Bash commands.

It is started for each command, so nothing that takes long to import stands on its way. It prints
one JSON object and nothing else; what it can't judge ends with exit code 2, which blocks as well.
"""

import json
import os
import sys
from typing import Any, NamedTuple

from devloop_tools.guard.fences import forbidden
from devloop_tools.guard.judgement import Judgement
from devloop_tools.guard.judging import judge

USAGE = """\
Usage: devloop-tools guard

Reads a PreToolUse event of the Claude CLI on stdin and judges its Bash command. Prints {} when it
may run, and a refusal with its reason when not. Exit code 2: the input is no such event.
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
    ended = outcome(arguments, b"" if asked or arguments else sys.stdin.buffer.read())
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
        if arguments:
            raise _NoEvent(f"unknown argument {arguments[0]!r}; there is none but --help")
        return Outcome(0, output=json.dumps(_answer(_event(data))) + "\n")
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
    judgement = _judgement(command, event.get("cwd"))
    if not judgement.refused:
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": judgement.reason,
        }
    }


def _judgement(command: str, cwd: object) -> Judgement:
    home = os.environ.get("HOME", "")
    configuration = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    judgement = forbidden(
        command,
        folders=(f"{configuration}/devloop-tools",),
        cwd=cwd if isinstance(cwd, str) else "",
        variables={"HOME": home, "XDG_CONFIG_HOME": configuration},
    )
    return judgement if judgement.refused else judge(command)
