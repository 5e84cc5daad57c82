"""Whether the CLI may run a tool of its own, or of another server, with these arguments.

One function for three doors: the hook tool `policy_check`, the command `devloop-tools guard` and
the hosts' `hooks.pre_execute`. It needs the standard library alone, but for commands of a shell.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from devloop_tools.domain.path_verdicts import judge_path
from devloop_tools.frozen import frozen
from devloop_tools.registry.names import UPSTREAM_PREFIX
from devloop_tools.registry.policy import NATIVE_NAMESPACE, Policy
from devloop_tools.registry.reasons import why
from devloop_tools.server.shell_commands import SHELL_TOOLS, fault_in_command
from devloop_tools.storage.sandbox import Operation, Sandbox, closed_to_globs

_READ, _WRITE = Operation.READ, Operation.WRITE

PATHS: Mapping[str, tuple[str, Operation, bool]] = {
    "Read": ("file_path", _READ, True),
    "NotebookRead": ("notebook_path", _READ, True),
    "Glob": ("path", _READ, False),
    "Grep": ("path", _READ, False),
    "Write": ("file_path", _WRITE, True),
    "Edit": ("file_path", _WRITE, True),
    "MultiEdit": ("file_path", _WRITE, True),
    "NotebookEdit": ("notebook_path", _WRITE, True),
}
"""The argument of a native tool that is a path, what is done to it, and whether it is needed."""

GLOBS: Mapping[str, str] = {"Glob": "pattern", "Grep": "glob"}
"""The argument of a native tool that chooses files below its path."""

MAX_SUBJECT = 10_000
"""More of a command is not recorded; the log masks it and cuts it once more."""


@frozen
class Grounds:
    """What a ruling rests on, for one agent at work in one project."""

    policy: Policy
    root: Path
    sandbox: Sandbox


@frozen
class Ruling:
    """`reason` says why the call may not run, and what to do instead; empty if it may.

    `trace` is for the record: tool, decision, rule, where it stands, and what was looked at.
    `refused_by_arguments`: the policy grants the call, and a path or a command speaks against it.
    """

    reason: str
    trace: dict[str, Any]
    refused_by_arguments: bool = False

    @property
    def refused(self) -> bool:
        return bool(self.reason)


def rule_on_call(
    grounds: Grounds, tool: str, arguments: Mapping[str, Any], folder: Path | None = None
) -> Ruling:
    """The ruling on one call. Relative paths are below `folder`, else below the project folder."""
    namespace = "" if tool.startswith(UPSTREAM_PREFIX) else NATIVE_NAMESPACE
    readable = _with_short_path(grounds, tool, arguments, folder)
    verdict = grounds.policy.decide(tool, readable, namespace=namespace)
    trace = grounds.policy.trace(verdict) | _subject(tool, readable)
    if not verdict.grants:
        reason = why(grounds.policy, verdict, namespace)
        return Ruling(reason, trace | {"reason": reason})
    for rule, reason in _faults(grounds, tool, arguments, folder):
        told = {"decision": "deny", "rule": rule, "reason": reason}
        return Ruling(reason, trace | told, refused_by_arguments=True)
    return Ruling("", trace)


def _faults(
    grounds: Grounds, tool: str, arguments: Mapping[str, Any], folder: Path | None
) -> Iterator[tuple[str, str]]:
    """What speaks against a granted call: the rule, and the reason for the model."""
    if tool in PATHS:
        yield from _path_faults(grounds, tool, arguments, folder)
    if tool in GLOBS and (pattern := arguments.get(GLOBS[tool])) is not None:
        yield from _glob_faults(grounds, tool, pattern, arguments, folder)
    if tool in SHELL_TOOLS:
        command = arguments.get("command")
        fault = fault_in_command(command, grounds.root, grounds.sandbox, folder)
        if fault:
            yield fault


def _path_faults(
    grounds: Grounds, tool: str, arguments: Mapping[str, Any], folder: Path | None
) -> Iterator[tuple[str, str]]:
    field, operation, required = PATHS[tool]
    path = arguments.get(field)
    if path is None and not required:
        path = str(folder or grounds.root)
    if not isinstance(path, str):
        yield "path", f"{field}: a path is expected"
        return
    verdict = judge_path(grounds.root, grounds.sandbox, path, operation, folder=folder)
    if not verdict.allowed:
        yield verdict.rule, f"{field}: {path}: {verdict.reason}"


def _glob_faults(
    grounds: Grounds,
    tool: str,
    pattern: object,
    arguments: Mapping[str, Any],
    folder: Path | None,
) -> Iterator[tuple[str, str]]:
    """A pattern may lead out by itself, and may name what is closed."""
    field = GLOBS[tool]
    if not isinstance(pattern, str):
        yield "path", f"{field}: a pattern is expected"
        return
    start = os.path.join(arguments.get("path") or folder or grounds.root, _fixed_start(pattern))
    verdict = judge_path(grounds.root, grounds.sandbox, start, _READ, folder=folder)
    if not verdict.allowed:
        yield verdict.rule, f"{field}: {pattern}: {verdict.reason}"
    elif ".." in pattern.split("/"):
        yield "path", f"{field}: {pattern}: a pattern has no '..'; give the folder as path"
    elif closed := closed_to_globs(pattern):
        yield f"deny {closed}", f"{field}: {pattern}: {closed} is closed to reading"


def _fixed_start(pattern: str) -> str:
    """The folders of a pattern before its first wildcard."""
    names = pattern.split("/")
    fixed = next((at for at, name in enumerate(names) if set(name) & set("*?[{!")), len(names))
    return "/".join(names[:fixed]) or ("/" if pattern.startswith("/") else "")


def _with_short_path(
    grounds: Grounds, tool: str, arguments: Mapping[str, Any], folder: Path | None
) -> Mapping[str, Any]:
    """The arguments with a path of the project relative to it, as rules are written."""
    field = PATHS[tool][0] if tool in PATHS else ""
    path = arguments.get(field)
    if not isinstance(path, str):
        return arguments
    whole = os.path.normpath(os.path.join(folder or grounds.root, path))
    prefix = os.path.join(grounds.root, "")
    return {**arguments, field: whole.removeprefix(prefix)}


def _subject(tool: str, arguments: Mapping[str, Any]) -> dict[str, str]:
    """What the call is about, cut, for whoever reads the record."""
    field = "command" if tool in SHELL_TOOLS else PATHS.get(tool, ("",))[0]
    value = arguments.get(field)
    return {"subject": value[:MAX_SUBJECT]} if isinstance(value, str) else {}
