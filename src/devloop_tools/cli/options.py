"""Options that several commands share, and how a command says what is wrong."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from devloop_tools.domain.agent_clis import agent_among
from devloop_tools.launch.errors import LaunchError
from devloop_tools.registry.errors import LoadError
from devloop_tools.rpc.ancestry import ancestors
from devloop_tools.server.actors import UnknownActor
from devloop_tools.settings import SettingsError
from devloop_tools.storage.database import Database, database_file
from devloop_tools.storage.errors import StorageError

EXIT_ERROR = 2

_SUCH_AS = """write them in single quotes, such as '{"event": "unit.built"}'"""

Agent = Annotated[str, typer.Option("--agent", help="Short name or id: pm, devloop-pm.")]
Claude = Annotated[
    str | None,
    typer.Option(help="The CLI. Default: the one on PATH, else the one in claude-agent-sdk."),
]
SkipPermissions = Annotated[
    bool, typer.Option("--skip-permissions", help="Let the CLI check nothing; not for root.")
]
ProjectDir = Annotated[
    str | None,
    typer.Option(help="The project folder. Default: CLAUDE_PROJECT_DIR, else the current one."),
]
DataDir = Annotated[str | None, typer.Option(help="The folder that holds companies/.")]
Company = Annotated[str | None, typer.Option(help="The company's id, with --data-dir.")]
Project = Annotated[str | None, typer.Option(help="The project's id, with --data-dir.")]
Unit = Annotated[str | None, typer.Option(help="The unit of a coder or tester.")]
Session = Annotated[str | None, typer.Option(help="The session's id, a UUID.")]
ToolsDir = Annotated[
    str | None, typer.Option(help="The folder with agents.json and packs. Default: the bundled.")
]


@contextmanager
def reported() -> Iterator[None]:
    """What is wrong with flags and files in one line on stderr, and exit code 2."""
    try:
        yield
    except (LaunchError, LoadError, SettingsError, StorageError, UnknownActor) as exc:
        sys.stderr.write(f"devloop-tools: {exc}\n")
        raise typer.Exit(EXIT_ERROR) from None


def json_object(text: str) -> dict[str, Any]:
    """Arguments of a tool as a person types them. Raises SettingsError."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as exc:
        raise SettingsError(f"the arguments are not JSON: {exc}; {_SUCH_AS}") from None
    if not isinstance(value, dict):
        raise SettingsError(f"the arguments must be a JSON object; {_SUCH_AS}")
    return value


def refuse_agents(root: Path, command: str) -> None:
    """Raises SettingsError where an agent's CLI of the project at `root` has started this."""
    if not database_file(root).exists():
        return
    database = Database(root)
    try:
        agent = agent_among(database, ancestors())
    finally:
        database.close()
    if agent is not None:
        raise SettingsError(
            f"{command} is for the people who run the agents, and {agent}'s CLI has started it; "
            "call the tools you have"
        )


def complain(lines: Iterable[str]) -> None:
    """What is wrong and can be lived with, a line each on stderr."""
    for line in lines:
        sys.stderr.write(f"devloop-tools: {line}\n")
