"""The settings file of the CLI: the hook that asks our server before each tool call."""

from typing import Any

from devloop_tools.launch.mcp_config import SERVER_NAME
from devloop_tools.registry.names import CLI_PREFIX, HOOK_TOOL

HOOK_TIMEOUT_S = 60

NOT_OURS = f"^(?!{CLI_PREFIX}).*$"
"""Our own tools are ruled on where they are called."""

CLOSED_TO_READING = ("Read(**/.env*)", "Read(**/.devloop/state.db*)", "Read(**/.devloop/*.db*)")
"""For Grep and Glob, which read below a folder whose files the hook doesn't see."""


def cli_settings() -> dict[str, Any]:
    """The content of the file. A hook that fails, in whatever way, blocks the call."""
    hook = {
        "type": "mcp_tool",
        "server": SERVER_NAME,
        "tool": HOOK_TOOL,
        "input": {
            "tool_name": "${tool_name}",
            "tool_input": "${tool_input}",
            "cwd": "${cwd}",
            "tool_use_id": "${tool_use_id}",
        },
        "timeout": HOOK_TIMEOUT_S,
        "onFailure": "block",
    }
    return {
        "hooks": {"PreToolUse": [{"matcher": NOT_OURS, "hooks": [hook]}]},
        "permissions": {"deny": list(CLOSED_TO_READING)},
    }
