"""The file that tells the CLI how to start our server, and the command in it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devloop_tools.launch.configuration import digest_inside
from devloop_tools.settings import Flags, Settings

SERVER_NAME = "devloop"
"""Our tools are `mcp__devloop__NAME` to the CLI."""

CALL_TIMEOUT_MS = 24 * 60 * 60 * 1000
"""How long the CLI waits for one call: a person may have to agree to it first."""


PROTOCOL = "legacy"
"""What works best with the present CLI: docs/protocols.md has the results per value."""


def server_command(flags: Flags, settings: Settings) -> tuple[str, ...]:
    """What starts the server of `settings`, from whichever folder.

    Configuration inside the project is pinned: a server that the CLI starts again later must not
    take what an agent has put there meanwhile. This interpreter is written out, and with -P: `-m`
    alone would import from the folder it is started in, which is the project, and the project is
    written by agents.
    """
    if flags.data_dir:
        place = [
            f"--data-dir={settings.data_dir}",
            f"--company={flags.company}",
            f"--project={flags.project}",
        ]
    else:
        place = [f"--project-dir={settings.project_dir}"]
    digest = digest_inside(settings.project_dir, settings.configuration)
    pinned = [f"--config-digest={digest}"] if digest else []
    unit = [f"--unit={settings.unit_id}"] if settings.unit_id else []
    return (
        str(Path(sys.executable).absolute()),
        *("-P", "-m", "devloop_tools", "serve", "--for-cli", f"--protocol={PROTOCOL}"),
        f"--agent={settings.agent}",
        *place,
        *unit,
        f"--tools-dir={settings.tools_dir}",
        *pinned,
    )


def mcp_config(server: Sequence[str]) -> dict[str, Any]:
    """The content of the file. `alwaysLoad` keeps the tools out of the CLI's tool search."""
    command, *arguments = (_verbatim(word) for word in server)
    entry = {
        "type": "stdio",
        "command": command,
        "args": arguments,
        # The CLI hands no locale down, so that nothing else says which encoding files have.
        "env": {"PYTHONUTF8": "1"},
        "alwaysLoad": True,
        "timeout": CALL_TIMEOUT_MS,
    }
    return {"mcpServers": {SERVER_NAME: entry}}


def _verbatim(word: str) -> str:
    """`word` so that the CLI, which puts variables in place of `${NAME}`, gives it on unchanged.

    The `$` is written as the default of a variable that nobody sets; what was put in isn't read
    again.
    """
    return word.replace("${", "${DEVLOOP_TOOLS_NEVER_SET:-$}{")
