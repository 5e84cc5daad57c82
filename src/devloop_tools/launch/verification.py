"""What a CLI says of itself in its first event, held against what the policy grants."""

from collections.abc import Collection, Mapping
from typing import Any

from devloop_tools.launch.mcp_config import SERVER_NAME


def is_init(event: Mapping[str, Any]) -> bool:
    """Whether it is the event that names tools and servers."""
    return event.get("type") == "system" and event.get("subtype") == "init"


def fault_in_init(event: Mapping[str, Any], expected: Collection[str]) -> str | None:
    """Why the agent must not go on: our server isn't there, or tools that it is granted."""
    servers = {server.get("name"): server.get("status") for server in event.get("mcp_servers", ())}
    status = servers.get(SERVER_NAME, "not there")
    if status != "connected":
        return f"the server {SERVER_NAME} is {status}; devloop-tools doctor says why"
    if missing := sorted(set(expected) - set(event.get("tools", ()))):
        return (
            f"the CLI does not offer what the policy grants: {', '.join(missing)}; "
            "devloop-tools doctor says more"
        )
    return None
