"""`devloop-tools guard --agent`: the whole ruling on a call, for CLIs that know no hook of MCP.

Started for each call: what is imported here is the standard library and little of ours.
"""

import os
from pathlib import Path
from typing import Any

from devloop_tools.registry.agents import find_agent, load_agents
from devloop_tools.registry.names import CLI_PREFIX
from devloop_tools.registry.policy import Source, build_policy
from devloop_tools.registry.sandboxes import sandbox_of
from devloop_tools.server.native_calls import Grounds, Ruling, rule_on_call
from devloop_tools.settings import Flags, Settings, SettingsError, resolve

FLAGS = ("agent", "project-dir", "data-dir", "company", "project", "unit", "session", "tools-dir")


def reason_to_refuse(flags: Flags, event: dict[str, Any]) -> str:
    """Why the call may not run; empty if it may. A refusal is recorded in the project.

    Raises LoadError, SettingsError for flags and files that can't be used.
    """
    settings = resolve(flags, os.environ)
    tool, given, cwd = event["tool_name"], event.get("tool_input"), event.get("cwd")
    if tool.startswith(CLI_PREFIX):
        # Ours are ruled on where they are called.
        return ""
    if not isinstance(given, dict):
        raise SettingsError("tool_input: expected the call's arguments, found none")
    folder = Path(cwd) if isinstance(cwd, str) and os.path.isabs(cwd) else None
    ruling = rule_on_call(_grounds(settings), tool, given, folder)
    if ruling.refused:
        _record(settings, event.get("tool_use_id"), ruling)
    return ruling.reason


def flags_of(arguments: list[str]) -> Flags:
    """The flags, read without a parser. Raises SettingsError."""
    given: dict[str, Any] = {}
    waiting = list(arguments)
    while waiting:
        word, separator, value = waiting.pop(0).partition("=")
        name = word.removeprefix("--")
        if name not in FLAGS or not word.startswith("--"):
            known = ", ".join(f"--{flag}" for flag in FLAGS)
            raise SettingsError(f"unknown argument {word!r}; there are: {known}")
        if not separator:
            if not waiting:
                raise SettingsError(f"{word}: a value is expected behind it")
            value = waiting.pop(0)
        given[name.replace("-", "_")] = value
    return Flags(**given)


def _grounds(settings: Settings) -> Grounds:
    path = settings.tools_dir / "agents.json"
    agents = load_agents(path)
    template = find_agent(agents, str(settings.agent), path)
    source = Source(agents.file, template.policy_keys)
    # Packs aren't looked at: what they may have is no tool of the CLI.
    policy = build_policy(
        template.short_name, template.cli.tool_policy, (), packs_failed=True, source=source
    )
    sandbox = sandbox_of(template, settings.project_dir, settings.configuration, settings.unit_id)
    return Grounds(policy, settings.project_dir, sandbox)


def _record(settings: Settings, call_id: object, ruling: Ruling) -> None:
    from devloop_tools.domain.events import EventLog, EventType
    from devloop_tools.domain.origin import Origin
    from devloop_tools.storage.database import Database
    from devloop_tools.storage.errors import StorageError

    origin = Origin(
        project_id=settings.project_id,
        agent=str(settings.agent),
        call_id=str(call_id or "call-unknown")[:128],
        session_id=settings.session_id,
        unit_id=settings.unit_id,
    )
    try:
        log = EventLog(Database(settings.project_dir))
        log.emit(origin, EventType.POLICY_REFUSED, ruling.trace)
    except StorageError:
        # The refusal is worth more than the line about it.
        return
