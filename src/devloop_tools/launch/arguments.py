"""One agent's policy as a command line, in two dialects. Pure: no file is read or written.

Values go behind `=` and never into words of their own: the CLI's list flags would swallow what
follows them, the prompt too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson

from devloop_tools.launch.cli_settings import cli_settings
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.mcp_config import SERVER_NAME, mcp_config
from devloop_tools.registry.agents import AgentTemplate
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.names import HOOK_TOOL
from devloop_tools.registry.policy import Policy
from devloop_tools.registry.registry import Registry
from devloop_tools.toolkit.schema import flat_root

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Dialect(StrEnum):
    """`claude` is what the real CLI takes, `acp` what hosts with a protocol of their own take."""

    CLAUDE = "claude"
    ACP = "acp"


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What a command line needs besides policy. `folder` is this run's own and need not exist."""

    claude: str
    server: tuple[str, ...]
    folder: Path
    prompt_file: Path | None = None
    session_id: str | None = None
    skip_permissions: bool = False
    as_root: bool = False


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`env` is added to the environment of the process; `contents` are the files it reads."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    contents: Mapping[Path, bytes]
    tools: tuple[str, ...] = ()
    """What the CLI must offer its model, in its own names."""


def build_cli_args(
    template: AgentTemplate,
    policy: Policy,
    registry: Registry,
    options: LaunchOptions,
    dialect: Dialect = Dialect.CLAUDE,
) -> CommandLine:
    """The command line that starts the agent's CLI: no prompt in it, and nothing that asks.

    Raises LaunchError where the CLI would refuse it.
    """
    entries = Catalog(registry.entries.values(), policy).entries()
    match dialect:
        case Dialect.CLAUDE:
            line = _claude(template.cli.model, policy, entries, options)
        case Dialect.ACP:
            line = _acp(entries, options)
    _require_unicode(line.argv)
    return line


def api_tool(entry: ToolEntry) -> dict[str, Any]:
    """A tool as the Messages API writes it."""
    return {
        "name": entry.name,
        "description": entry.published.description,
        "input_schema": flat_root(entry.published.input_schema),
    }


def name_in_cli(tool: str) -> str:
    """What the CLI calls one of our tools: it puts `_` for whatever an API name can't hold."""
    return f"mcp__{SERVER_NAME}__{re.sub(r'[^A-Za-z0-9_-]', '_', tool)}"


def _claude(
    model: str | None,
    policy: Policy,
    entries: Sequence[ToolEntry],
    options: LaunchOptions,
) -> CommandLine:
    _require_unicode(options.server)
    config, settings = options.folder / "mcp.json", options.folder / "settings.json"
    native = list(policy.native_tools)
    granted = [*native, *(name_in_cli(entry.name) for entry in entries)]
    argv = [
        options.claude,
        f"--mcp-config={config}",
        "--strict-mcp-config",
        f"--tools={','.join(native)}",
        f"--allowedTools={','.join(granted)}",
        f"--disallowedTools={name_in_cli(HOOK_TOOL)}",
        "--setting-sources=",
        f"--settings={settings}",
        _permission_flag(options),
    ]
    if options.prompt_file:
        argv.append(f"--append-system-prompt-file={options.prompt_file}")
    if model:
        argv.append(f"--model={model}")
    if options.session_id:
        argv.append(f"--session-id={_uuid(options.session_id)}")
    # Cuts what the CLI hands down to our server: no API key is among it.
    env = {"CLAUDE_CODE_MCP_ALLOWLIST_ENV": "1"}
    contents = {config: _json(mcp_config(options.server)), settings: _json(cli_settings())}
    return CommandLine(tuple(argv), env, contents, tuple(granted))


def _acp(entries: Sequence[ToolEntry], options: LaunchOptions) -> CommandLine:
    tools = options.folder / "tools.json"
    argv = (
        options.claude,
        "--dangerously-skip-permissions",
        "--tools",
        str(tools),
        "--tool-handler",
        "jsonrpc://stdio",
    )
    return CommandLine(argv, {}, {tools: _json({"tools": [api_tool(entry) for entry in entries]})})


def _permission_flag(options: LaunchOptions) -> str:
    if not options.skip_permissions:
        return "--permission-mode=dontAsk"
    if options.as_root:
        raise LaunchError(
            "--skip-permissions: the CLI refuses --dangerously-skip-permissions for root; "
            "run as another user, or leave the flag out: what the policy grants isn't asked about"
        )
    return "--dangerously-skip-permissions"


def _uuid(session_id: str) -> str:
    if not _UUID.fullmatch(session_id):
        raise LaunchError(f"--session: {session_id!r} is no UUID, and the CLI takes nothing else")
    return session_id


def _require_unicode(texts: Sequence[str]) -> None:
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise LaunchError(
                f"{text!a}: not UTF-8, and JSON can't hold it; rename the folder or file"
            ) from None


def _json(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
